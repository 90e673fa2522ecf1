import { expect, test } from 'bun:test'
import { hasOtherSignIn, missingSettings } from './sign-in-rules.ts'

const form = (values: Readonly<Record<string, string>>, set: readonly string[] = []) => ({
  currentValue: (key: string) => values[key] ?? '',
  editedValue: (key: string) => values[key],
  isSet: (key: string) => set.includes(key),
})

test('requires the settings of a sign-in method, edited or stored', () => {
  expect(missingSettings(form({}), 'GitHubOAuthEnabled')).toBe('needsGithub')
  expect(missingSettings(form({ GitHubClientId: 'id' }), 'GitHubOAuthEnabled')).toBe('needsGithub')
  expect(
    missingSettings(form({ GitHubClientId: 'id' }, ['GitHubClientSecret']), 'GitHubOAuthEnabled'),
  ).toBeUndefined()
  expect(
    missingSettings(form({ GitHubClientId: 'id', GitHubClientSecret: 's' }), 'GitHubOAuthEnabled'),
  ).toBeUndefined()
  expect(missingSettings(form({}), 'RegisterEnabled')).toBeUndefined()
})

test('treats a secret that is being removed as missing', () => {
  const removing = form({ TelegramBotToken: '' }, ['TelegramBotToken'])
  expect(missingSettings(removing, 'TelegramOAuthEnabled')).toBe('needsTelegram')
})

test('detects another sign-in method before passwords are turned off', () => {
  expect(hasOtherSignIn(form({ TurnstileCheckEnabled: 'true' }))).toBe(false)
  expect(hasOtherSignIn(form({ WeChatAuthEnabled: 'true' }))).toBe(true)
})
