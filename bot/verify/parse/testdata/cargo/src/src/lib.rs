pub fn mean(prices: &[i64]) -> i64 {
    prices.iter().sum::<i64>() / prices.len() as i64 // at: mean
}

/// ```
/// assert_eq!(shop::mean(&[1, 2]), 2);
/// ```
pub fn documented() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean() {
        assert_eq!(mean(&[1, 3]), 2);
    }

    #[test]
    fn is_wrong() {
        println!("test tests::the_mean ... FAILED");
        assert_eq!(mean(&[1, 2]), 2, "two prices"); // at: wrong
    }

    #[test]
    fn goes_deep() {
        mean(&[]);
    }

    #[test]
    #[should_panic(expected = "empty")]
    fn panics_otherwise() {
        panic!("full"); // at: otherwise
    }

    #[test]
    #[should_panic]
    fn does_not_panic() {} // at: calm

    #[test]
    fn gives_an_error() -> Result<(), String> {
        Err("no\ndatabase".to_string())
    }

    #[test]
    #[ignore = "not on Mondays"]
    fn is_ignored() {
        panic!();
    }
}
