//! The search on candidates whose right answer is known.
