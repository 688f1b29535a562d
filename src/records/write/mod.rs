//! Recordings in the formats of others.
