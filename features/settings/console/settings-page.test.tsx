import { describe, expect, test } from 'bun:test'
import { screen, waitFor, within } from '@testing-library/dom'
import { closePages, fill, openPage } from '#console/testing/open-page.tsx'
import { saveSettings, settingsGateway } from '#console/testing/settings-gateway.ts'
import { ROLE } from '#contract/enums.ts'

closePages()

const section = (name: string) => within(screen.getByRole('region', { name }))

describe('saving options', () => {
  test('sends only the changes that the review keeps', async () => {
    const { stored, saved } = settingsGateway()
    const user = await openPage('/setting?tab=operation')
    await fill(user, await screen.findByLabelText('Retries'), '3')
    await fill(user, screen.getByLabelText('Top-up link'), 'https://shop.example')
    await user.click(screen.getByLabelText('Sidebar starts collapsed'))
    await user.click(screen.getByRole('button', { name: 'Review' }))
    const review = within(await screen.findByRole('dialog', { name: '3 changes' }))
    review.getByText('https://shop.example')
    await user.click(review.getByRole('button', { name: 'Undo the change of Sidebar starts collapsed' }))
    await user.click(review.getByRole('button', { name: 'Save' }))
    await screen.findByText('Saved')
    expect(saved().toSorted()).toEqual(['RetryTimes', 'TopUpLink'])
    expect(stored.get('RetryTimes')).toBe('3')
    await waitFor(() => expect(screen.queryByRole('region', { name: /changes?$/ })).toBeNull())
  })

  test('names rejected options, keeps their input and saves the others', async () => {
    const { stored } = settingsGateway({ refused: { PayAddress: 'Set the server address first' } })
    const user = await openPage('/setting?tab=system')
    await fill(user, await screen.findByLabelText('Top-up price'), '8')
    await fill(user, screen.getByRole('textbox', { name: 'Payment URL' }), 'https://pay.example')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText('Some settings could not be saved. Try again.')
    within(screen.getByRole('region', { name: /changes?$/ })).getByText(/Set the server address first/)
    expect(screen.getByRole('textbox', { name: 'Payment URL' })).toHaveProperty(
      'value',
      'https://pay.example',
    )
    expect(stored.get('Price')).toBe('8')
  })

  test('sends nothing while a value is invalid, and goes to its field', async () => {
    const { saved } = settingsGateway()
    const user = await openPage('/setting?tab=operation')
    await fill(user, await screen.findByLabelText('Retries'), 'many')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText('Check the input: Retries')
    expect(document.activeElement?.id).toBe('field-RetryTimes')
    expect(saved()).toEqual([])
  })

  test('reports that nothing was changed', async () => {
    settingsGateway()
    const user = await openPage('/setting?tab=operation')
    await screen.findByLabelText('Retries')
    await user.keyboard('{Control>}{Enter}{/Control}')
    await screen.findByText('Nothing has changed')
  })

  test('keeps edits when switching tabs and asks before leaving', async () => {
    settingsGateway()
    const user = await openPage('/setting?tab=operation')
    await fill(user, await screen.findByLabelText('Second chat page'), 'https://chat.example')
    await user.click(screen.getByRole('link', { name: 'System' }))
    await screen.findByRole('region', { name: 'SMTP' })
    screen.getByRole('region', { name: '1 change' })
    await user.click(screen.getByRole('link', { name: 'Tokens' }))
    await user.click(await screen.findByRole('button', { name: 'Keep editing' }))
    await user.click(screen.getByRole('link', { name: 'Operation' }))
    expect(await screen.findByLabelText('Second chat page')).toHaveProperty('value', 'https://chat.example')
    await user.click(screen.getByRole('button', { name: 'Discard' }))
  })

  test('never shows a secret, keeps it when left empty and can remove it', async () => {
    const { stored } = settingsGateway({ options: { SMTPToken: 'a-secret-of-mail' } })
    const user = await openPage('/setting?tab=system')
    await screen.findByRole('region', { name: 'SMTP' })
    const secret = section('SMTP').getByLabelText('SMTP password')
    expect(secret).toHaveProperty('value', '')
    expect(secret).toHaveProperty('placeholder', 'Set. Leave empty to keep it.')
    await fill(user, screen.getByLabelText('SMTP account'), 'mail')
    await saveSettings(user)
    expect(stored.get('SMTPToken')).toBe('a-secret-of-mail')
    await user.click(section('SMTP').getByRole('button', { name: 'Remove' }))
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(stored.get('SMTPToken')).toBe(''))
  })
})

describe('sign-in methods', () => {
  test('cannot be enabled before they are configured', async () => {
    const { stored } = settingsGateway()
    const user = await openPage('/setting?tab=system')
    await user.click(await screen.findByLabelText('Sign in with GitHub'))
    await screen.findByText('Set the GitHub client ID and secret first')
    expect(screen.getByLabelText('Sign in with GitHub')).toHaveProperty('checked', false)
    await fill(user, screen.getByLabelText('GitHub client ID'), 'id')
    await fill(user, section('GitHub').getByLabelText('GitHub client secret'), 'secret')
    await user.click(screen.getByLabelText('Sign in with GitHub'))
    await saveSettings(user)
    expect(stored.get('GitHubOAuthEnabled')).toBe('true')
  })

  test('allow disabling passwords only with another method and after a confirmation', async () => {
    settingsGateway()
    const user = await openPage('/setting?tab=system')
    const passwords = await screen.findByLabelText('Sign in with a password')
    await user.click(passwords)
    await screen.findByText('Turn on another sign-in method first')
    await fill(user, screen.getByLabelText('Telegram bot token'), 'token')
    await user.click(screen.getByLabelText('Sign in with Telegram'))
    await user.click(passwords)
    await user.click(await screen.findByRole('button', { name: 'Turn off' }))
    await waitFor(() => expect(passwords).toHaveProperty('checked', false))
    await user.click(screen.getByRole('button', { name: 'Discard' }))
    expect(passwords).toHaveProperty('checked', true)
  })
})

test('orders and edits chats as a list or as JSON', async () => {
  settingsGateway({ options: { Chats: '[{"A":"https://a.example"},{"B":"https://b.example"}]' } })
  const user = await openPage('/setting?tab=operation')
  await user.click(await screen.findByRole('button', { name: 'Move B up' }))
  await user.click(section('Chat').getAllByRole('button', { name: 'Insert {key}' })[0] ?? document.body)
  await user.click(section('Chat').getByText('JSON'))
  const typed = screen.getByRole('textbox', { name: 'Chat links' }).textContent ?? ''
  expect(JSON.parse(typed)).toEqual([{ B: 'https://b.example{key}' }, { A: 'https://a.example' }])
  await user.click(screen.getByRole('button', { name: 'Discard' }))
})

test('offers a regular user the personal settings only', async () => {
  settingsGateway({ self: { id: 7, role: ROLE.user } })
  await openPage('/user/edit')
  expect(window.location.pathname).toBe('/setting')
  expect(screen.queryByRole('link', { name: 'Operation' })).toBeNull()
})

test('refuses a regular user the settings of the installation', async () => {
  settingsGateway({ self: { id: 7, role: ROLE.user } })
  await openPage('/setting?tab=operation')
  await screen.findByRole('heading', { level: 1, name: 'No permission' })
})
