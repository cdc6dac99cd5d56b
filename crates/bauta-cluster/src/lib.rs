//! The engine on several machines: scheduler, executors and the way to them, on Ballista.
