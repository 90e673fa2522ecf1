import fc from 'fast-check'

/** The parts of JSON Schema that the contract's schemas use. */
interface JsonSchema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema | readonly JsonSchema[]
  readonly minimum?: number
  readonly maximum?: number
}

const ITEMS_MAX = 4

/** Texts that commonly break software: SQL, markup, paths, line breaks, lone surrogates. */
const NASTY = [
  '',
  ' ',
  'null',
  '0',
  '-1',
  '1e999',
  '9'.repeat(40),
  "' or 1=1 --",
  '%_%\\',
  '%'.repeat(500),
  '<script>alert(1)</script>',
  '../../etc/passwd',
  'a\r\nset-cookie: x=y',
  '\u0000',
  '\ud800',
  '__proto__',
  'constructor',
  '{"a":1,"a":2}',
  '[[[[[[',
  'https://[::1',
  'х'.repeat(300),
  'x'.repeat(70_000),
  '👩‍👩‍👧',
]

const text = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
)
/** Where 32-bit columns, exact integers and 64-bit columns end. */
const EXTREMES = [0, -0, -1, 1, 0.5, 1e300, -1e300, 2 ** 63].concat(
  [2 ** 31, 2 ** 32, 1e15, 2 ** 53].flatMap(edge => [edge - 1, edge, edge + 1, 1 - edge, -edge]),
)

const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(...EXTREMES))

/** Any JSON value, in place of the expected one. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Mostly valid input, so that it passes validation, and sometimes invalid input. */
export function arbitraryOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 6, arbitrary: allowedBy(schema) }, { weight: 1, arbitrary: junk })
}

function allowedBy(schema: JsonSchema): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map(arbitraryOf))
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'object':
      return objectOf(schema)
    case 'array':
      return fc.array(itemOf(schema), { maxLength: ITEMS_MAX })
    case 'string':
      return text
    case 'integer':
      return fc.oneof(fc.integer({ min: -2, max: 5 }), integerWithin(schema), extremeWithin(schema), number)
    case 'number':
      return number
    case 'boolean':
      return fc.boolean()
    default:
      return junk
  }
}

const itemOf = ({ items }: JsonSchema): fc.Arbitrary<unknown> =>
  items && 'type' in items ? arbitraryOf(items) : junk

const integerWithin = ({ minimum = -100, maximum = 100 }: JsonSchema): fc.Arbitrary<number> =>
  fc.maxSafeInteger().map(value => Math.min(Math.max(value, minimum), maximum))

/** The limits themselves and the values next to them. */
const extremeWithin = ({
  minimum = Number.MIN_SAFE_INTEGER,
  maximum = Number.MAX_SAFE_INTEGER,
}: JsonSchema): fc.Arbitrary<number> =>
  fc.constantFrom(minimum - 1, minimum, minimum + 1, maximum - 1, maximum, maximum + 1)

function objectOf({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, arbitraryOf(property)]),
  )
  return fc.record(fields, { requiredKeys: required.filter(name => name in fields) })
}
