package shop;

import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CartTest {
    @Test
    void theMean() {
        assertEquals(2, Cart.mean(1, 3));
    }

    @Test
    void isWrong() {
        System.out.println("[ERROR] CartTest.theMean:12 not true");
        assertEquals(2, Cart.mean(1, 2), "two prices"); // at: wrong
    }

    @Test
    void goesDeep() {
        Cart.mean(); // at: deep
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void each(int n) {
        assertEquals(1, n); // at: each
    }

    @Test
    @Disabled("not on Mondays")
    void isSkipped() {
        fail();
    }

    @Test
    void hasACause() {
        try {
            Cart.mean();
        } catch (ArithmeticException e) {
            throw new IllegalStateException("wrapped", e); // at: cause
        }
    }
}
