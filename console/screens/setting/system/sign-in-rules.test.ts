import { expect, test } from 'bun:test'
import type { OptionKey } from '#contract/options/system-options.ts'
import { hasOtherSignIn, missingFor } from './sign-in-rules.ts'

const form = (values: Partial<Record<OptionKey, string>>, set: readonly OptionKey[] = []) => ({
  textAt: (key: OptionKey) => values[key] ?? '',
  editOf: (key: OptionKey) => values[key],
  isSet: (key: OptionKey) => set.includes(key),
})

test('a way to sign in needs what it works with, typed in or stored', () => {
  expect(missingFor(form({}), 'GitHubOAuthEnabled')).toBe('needsGithub')
  expect(missingFor(form({ GitHubClientId: 'id' }), 'GitHubOAuthEnabled')).toBe('needsGithub')
  expect(
    missingFor(form({ GitHubClientId: 'id' }, ['GitHubClientSecret']), 'GitHubOAuthEnabled'),
  ).toBeUndefined()
  expect(
    missingFor(form({ GitHubClientId: 'id', GitHubClientSecret: 's' }), 'GitHubOAuthEnabled'),
  ).toBeUndefined()
  expect(missingFor(form({}), 'RegisterEnabled')).toBeUndefined()
})

test('a secret that is being taken away no longer counts', () => {
  const removing = form({ TelegramBotToken: '' }, ['TelegramBotToken'])
  expect(missingFor(removing, 'TelegramOAuthEnabled')).toBe('needsTelegram')
})

test('passwords can be switched off only beside another way in', () => {
  expect(hasOtherSignIn(form({ TurnstileCheckEnabled: 'true' }))).toBe(false)
  expect(hasOtherSignIn(form({ WeChatAuthEnabled: 'true' }))).toBe(true)
})
