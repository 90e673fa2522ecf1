import { expect, test } from 'bun:test'
import { NEW_PROVIDER, type OpenIdFormValues, openIdFormSchema, toSettings } from './form-schema.ts'

const VALID: OpenIdFormValues = {
  ...NEW_PROVIDER,
  slug: 'company',
  name: 'Company',
  issuer: 'https://login.example.com',
  client_id: 'tollgate',
}
const fieldsWithErrors = (change: Partial<OpenIdFormValues>) =>
  (openIdFormSchema.safeParse({ ...VALID, ...change }).error?.issues ?? []).map(({ path }) => path[0])

test('accepts a provider that has the fields it needs', () => {
  expect(fieldsWithErrors({})).toEqual([])
  expect(toSettings(VALID)).not.toHaveProperty('slug')
})

test.each([
  ['name', ' '],
  ['slug', 'a b'],
  ['slug', 'github'],
  ['issuer', 'http://login.example.com'],
  ['client_id', ''],
] as const)('puts the error of %s "%s" at its field', (field, value) => {
  expect(fieldsWithErrors({ [field]: value })).toContain(field)
})

test('puts the error of an empty rule at the rules', () => {
  expect(fieldsWithErrors({ rules: [{ value: '', role: 'user', group: '' }] })).toEqual(['rules'])
})

test('puts the error of a membership without an organisation at the memberships, and sends its number', () => {
  const rule = { value: 'engineers', organization_id: '12', role: 'member' } as const
  expect(fieldsWithErrors({ memberships: [{ ...rule, organization_id: '' }] })).toEqual(['memberships'])
  expect(toSettings({ ...VALID, memberships: [rule] }).memberships).toEqual([
    { ...rule, organization_id: 12 },
  ])
})
