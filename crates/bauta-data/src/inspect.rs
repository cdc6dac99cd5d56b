//! A first look at a file: what each column seems to be, and why.
