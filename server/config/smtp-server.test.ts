import { expect, test } from 'bun:test'
import { type OptionKey, type OptionValues, systemOptions } from '#contract/options/system-options.ts'
import { readMailServer } from './smtp-server.ts'

/** The default options with some stored values. */
const optionsWith = (texts: Partial<Record<OptionKey, string>>) =>
  Object.fromEntries(
    Object.entries({ ...systemOptions }).map(([key, { schema, initial }]) => [
      key,
      schema.parse({ ...texts }[key as OptionKey] ?? initial),
    ]),
  ) as OptionValues

const given = { SMTPServer: 'mail.example', SMTPAccount: 'a@b.example' } as const

test.each([
  [{}, 'required'],
  [{ SMTPPort: '465' }, 'implicit'],
  [{ SMTPPort: '2465', SMTPSSLEnabled: 'true' }, 'implicit'],
  [{ SMTPPort: '25' }, 'opportunistic'],
] as const)('the options %j make TLS %s', (texts, tls) => {
  expect(readMailServer(optionsWith({ ...given, ...texts }))).toMatchObject({ tls })
})

test('the sender is the account unless the options name another', () => {
  expect(readMailServer(optionsWith(given))?.sender).toEqual({ name: 'Tollgate', address: 'a@b.example' })
  expect(readMailServer(optionsWith({ ...given, SMTPFrom: 'x@y.example' }))?.sender.address).toBe(
    'x@y.example',
  )
})

test('returns undefined without a server or a sender', () => {
  expect(readMailServer(optionsWith({}))).toBeUndefined()
  expect(readMailServer(optionsWith({ SMTPServer: 'mail.example' }))).toBeUndefined()
})
