//! The replay debugger's terminal screens.
