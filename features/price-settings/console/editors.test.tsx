import { describe, expect, test } from 'bun:test'
import { screen, waitFor, within } from '@testing-library/dom'
import { closePages, fill, openPage } from '#console/testing/open-page.tsx'
import { saveSettings, settingsGateway } from '#console/testing/settings-gateway.ts'

closePages()

const section = async (name: string) => within(await screen.findByRole('region', { name }))
const dialog = async () => within(await screen.findByRole('dialog'))
const tableOf = (stored: ReadonlyMap<string, string>, key: string): unknown =>
  JSON.parse(stored.get(key) ?? '')

describe('model prices', () => {
  test('are entered in dollars and stored as ratios', async () => {
    const { stored } = settingsGateway({ options: { ModelRatio: '{"gpt-4o-mini":0.075}' } })
    const user = await openPage('/setting?tab=operation')
    await screen.findByRole('button', { name: 'Add model' })
    await user.keyboard('n')
    const form = await dialog()
    await fill(user, form.getByRole('textbox', { name: 'Model required' }), 'gpt-4o-mini')
    await user.click(form.getByRole('button', { name: 'Apply' }))
    await form.findByText('This model already has a price')
    await fill(user, form.getByRole('textbox', { name: 'Model required' }), 'my-own-model')
    await fill(user, form.getByLabelText('Input, dollars per million tokens'), '4')
    await fill(user, form.getByLabelText('Output, dollars per million tokens'), '8')
    await fill(user, form.getByLabelText('Cache read, dollars per million tokens'), '0.125')
    form.getAllByText('Input / 1M $4.00 · Output / 1M $8.00 · Cache read / 1M $0.125')
    await user.click(form.getByRole('button', { name: 'Apply' }))
    await saveSettings(user)
    expect(tableOf(stored, 'ModelRatio')).toEqual({ 'gpt-4o-mini': 0.075, 'my-own-model': 2 })
    expect(tableOf(stored, 'CompletionRatio')).toMatchObject({ 'my-own-model': 2 })
    expect(tableOf(stored, 'CacheRatio')).toMatchObject({ 'my-own-model': 0.03125 })
  })

  test('stay as they are but for the one that is changed, and are reviewed in dollars', async () => {
    const { stored } = settingsGateway({
      options: { ModelRatio: '{"gpt-4o-mini":0.075}', CompletionRatio: '{}' },
      defaultRatios: [
        { model_name: 'gpt-4o-mini', completion_ratio: 4, cache_ratio: 0.5, create_cache_ratio: 1 },
      ],
    })
    const user = await openPage('/setting?tab=operation')
    await user.click(await screen.findByRole('button', { name: 'Edit gpt-4o-mini' }))
    const form = await dialog()
    expect(form.getByLabelText('Output, dollars per million tokens')).toHaveProperty('value', '0.6')
    await fill(user, form.getByLabelText('Input, dollars per million tokens'), '0.3')
    form.getAllByText(/Input \/ 1M \$0\.30 · Output \/ 1M \$0\.60 · Cache read \/ 1M \$0\.075/)
    await user.click(form.getByRole('button', { name: 'Apply' }))
    await user.click(screen.getByRole('button', { name: 'Review' }))
    const review = await dialog()
    const changes = within(
      (await review.findByText('Price changes in dollars per million tokens')).parentElement ?? document.body,
    )
    expect(changes.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'gpt-4o-miniInput$0.15→$0.30',
    ])
    await user.click(review.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(tableOf(stored, 'ModelRatio')).toEqual({ 'gpt-4o-mini': 0.15 }))
    expect(tableOf(stored, 'CompletionRatio')).toEqual({ 'gpt-4o-mini': 2 })
  })

  test('of models that have none are proposed from similar names, and taken in one click', async () => {
    const { stored } = settingsGateway({
      options: { ModelRatio: '{"gpt-4o":1.25}', CompletionRatio: '{"gpt-4o":4}' },
      unpriced: ['eu/gpt-4o', 'nobody-knows'],
    })
    const user = await openPage('/setting?tab=operation')
    await user.click((await section('Model prices')).getByText('Without a price'))
    await screen.findByText(/^As gpt-4o: Input \/ 1M \$2\.50 · Output \/ 1M \$10\.00/)
    await screen.findByText(/No model of a similar name/)
    await user.click(screen.getByRole('button', { name: 'Take the proposed price of 1 model' }))
    await saveSettings(user)
    expect(tableOf(stored, 'ModelRatio')).toEqual({ 'gpt-4o': 1.25, 'eu/gpt-4o': 1.25 })
    expect(tableOf(stored, 'CompletionRatio')).toMatchObject({ 'eu/gpt-4o': 4 })
  })

  test('begin with the models that channels serve', async () => {
    settingsGateway({ options: { ModelRatio: '{"a":1,"b":1,"c":1}' }, served: ['c'] })
    await openPage('/setting?tab=operation')
    await screen.findByText('Served by channels')
    const labels = screen
      .getAllByRole('button', { name: /^Edit / })
      .map(button => button.getAttribute('aria-label'))
    expect(labels[0]).toBe('Edit c')
  })

  test('are given together to the models that have none', async () => {
    const { stored } = settingsGateway({
      options: { ModelRatio: '{}' },
      unpriced: ['nobody-knows-1', 'nobody-knows-2'],
    })
    const user = await openPage('/setting?tab=operation')
    await user.click((await section('Model prices')).getByText('Without a price'))
    await user.click(await screen.findByLabelText('nobody-knows-1'))
    await fill(user, screen.getByLabelText('Set a ratio for 1 model'), 'free')
    await user.click(screen.getByRole('button', { name: 'Fill in' }))
    await screen.findByText('Enter a number, 0 or more')
    await fill(user, screen.getByLabelText('Set a ratio for 1 model'), '0.5')
    await user.click(screen.getByRole('button', { name: 'Fill in' }))
    await saveSettings(user)
    expect(tableOf(stored, 'ModelRatio')).toEqual({ 'nobody-knows-2': 0.5 })
  })
})

describe('groups', () => {
  test('are edited as rows of three options, under names that are unique', async () => {
    const { stored } = settingsGateway()
    const user = await openPage('/setting?tab=operation')
    const groups = await section('Groups')
    const name = await groups.findByLabelText('New group name')
    await fill(user, name, 'vip')
    await user.click(groups.getByRole('button', { name: 'Add group' }))
    await groups.findByText('This group already exists')
    await fill(user, name, 'team')
    await user.click(groups.getByRole('button', { name: 'Add group' }))
    await fill(user, await groups.findByLabelText('Ratio of team'), '0.8')
    await user.click(groups.getByLabelText('Users can choose team'))
    await fill(user, groups.getByLabelText('Description of team'), 'The team')
    await saveSettings(user)
    expect(tableOf(stored, 'GroupRatio')).toMatchObject({ team: 0.8 })
    expect(tableOf(stored, 'UserUsableGroups')).toMatchObject({ team: 'The team' })
  })

  test('show who uses them before they are removed', async () => {
    const { stored } = settingsGateway()
    const user = await openPage('/setting?tab=operation')
    const groups = await section('Groups')
    await user.click(await groups.findByRole('button', { name: 'Remove group default' }))
    const question = await dialog()
    question.getByText(/1 users · 2 channels/)
    await user.click(question.getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(tableOf(stored, 'GroupRatio')).toHaveProperty('default')
    groups.getByLabelText('Ratio of default')
  })
})

describe('stored lists with entries that do not count', () => {
  test('are named in the table and in JSON, and stay while other options are saved', async () => {
    const GroupRatio = '{"default":1,"vip":-1}'
    const { stored, saved } = settingsGateway({ options: { GroupRatio, ModelRatio: '{"gpt-4o":1e30}' } })
    const user = await openPage('/setting?tab=operation')
    const groups = await section('Groups')
    groups.getByText(/vip: ratios and prices cannot be negative/)
    const models = await section('Model prices')
    models.getByText(/gpt-4o: ratios and prices are at most a billion/)
    await user.click(groups.getByRole('radio', { name: 'JSON' }))
    expect(groups.getByLabelText('Group ratios').getAttribute('aria-invalid')).toBe('true')
    await fill(user, screen.getByLabelText('Retries'), '3')
    await saveSettings(user)
    expect(saved()).toEqual(['RetryTimes'])
    expect(stored.get('GroupRatio')).toBe(GroupRatio)
  })
})
