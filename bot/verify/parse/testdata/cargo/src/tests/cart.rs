#[test]
fn from_outside() {
    let none: Option<i64> = None;
    none.expect("a price"); // at: outside
}

#[test]
fn is_fine() {}
