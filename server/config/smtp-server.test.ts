import { expect, test } from 'bun:test'
import { type OptionKey, type OptionValues, systemOptions } from '#contract/options/system-options.ts'
import { mailServerOf } from './smtp-server.ts'

/** The defaults with some texts over them. */
const optionsWith = (texts: Partial<Record<OptionKey, string>>) =>
  Object.fromEntries(
    Object.entries({ ...systemOptions }).map(([key, { schema, initial }]) => [
      key,
      schema.parse({ ...texts }[key as OptionKey] ?? initial),
    ]),
  ) as OptionValues

const given = { SMTPServer: 'mail.example', SMTPAccount: 'a@b.example' } as const

test.each([
  [{}, 'needed'],
  [{ SMTPPort: '465' }, 'at-once'],
  [{ SMTPPort: '2465', SMTPSSLEnabled: 'true' }, 'at-once'],
  [{ SMTPPort: '25' }, 'offered'],
] as const)('%j means that TLS is %s', (texts, tls) => {
  expect(mailServerOf(optionsWith({ ...given, ...texts }))).toMatchObject({ tls })
})

test('the sender is the account unless another is named', () => {
  expect(mailServerOf(optionsWith(given))?.sender).toEqual({ name: 'Tollgate', address: 'a@b.example' })
  expect(mailServerOf(optionsWith({ ...given, SMTPFrom: 'x@y.example' }))?.sender.address).toBe('x@y.example')
})

test('without a server or a sender there is no mail', () => {
  expect(mailServerOf(optionsWith({}))).toBeUndefined()
  expect(mailServerOf(optionsWith({ SMTPServer: 'mail.example' }))).toBeUndefined()
})
