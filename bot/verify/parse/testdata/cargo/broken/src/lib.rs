pub fn two() -> i64 {
    "two" // at: types
}

