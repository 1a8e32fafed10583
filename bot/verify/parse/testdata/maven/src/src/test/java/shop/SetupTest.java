package shop;

import org.junit.jupiter.api.*;

class SetupTest {
    @BeforeAll
    static void open() {
        throw new IllegalStateException("no database"); // at: setup
    }

    @Test
    void never() {}
}
