// What type tests are written with: a wrong type makes tsc fail. Nothing of them is ever run.

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/**
 * Takes a value of the very type `Expected`, no wider and no narrower: `expectType<string>()(value)`.
 * For another type it wants a second argument, which nobody gives.
 */
export declare function expectType<Expected>(): <Actual>(
  value: Actual,
  ...mismatch: Equal<Actual, Expected> extends true ? [] : [expected: Expected]
) => void;
