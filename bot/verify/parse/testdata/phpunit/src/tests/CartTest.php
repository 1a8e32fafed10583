<?php

namespace Tests;

use PHPUnit\Framework\TestCase;
use Shop\Cart;

require_once __DIR__ . '/../src/Cart.php';

final class CartTest extends TestCase
{
    public function testPasses(): void
    {
        $this->assertSame(0, Cart::total([]));
    }

    public function testWrong(): void
    {
        $this->assertSame(15, Cart::total([['price' => 8]]), 'why'); // at: wrong
    }

    public function testDeep(): void
    {
        Cart::total([[]]);
    }

    public function testType(): void
    {
        strlen([]); // at: type
    }

    /** @dataProvider pairs */
    public function testPairs(int $n): void
    {
        self::assertEquals(3, $n); // at: pairs
    }

    public static function pairs(): array
    {
        return ['a > b' => [4], [3]];
    }

    public function testFails(): void
    {
        $this->fail('it has to'); // at: fails
    }

    public function testThrowsNot(): void
    {
        $this->expectException(\DomainException::class);
    }

    public function testNothing(): void
    {
    }

    public function testSkips(): void
    {
        $this->markTestSkipped('later');
    }
}
