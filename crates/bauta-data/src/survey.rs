//! The demonstration survey, made on the spot.
