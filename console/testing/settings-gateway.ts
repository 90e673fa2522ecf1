import { screen } from '@testing-library/dom'
import type { UserEvent } from '@testing-library/user-event'
import type { User } from '#contract/entities/user.ts'
import { getSetup, listOptions, putOptions } from '#contract/options/options.ts'
import { listEnabledModels, searchChannels } from '#features/channels/contract/channel-endpoints.ts'
import { getLogDeletion } from '#features/logs/contract/log-deletion.ts'
import { type DefaultRatios, listDefaultRatios } from '#features/pricing-page/contract.ts'
import { searchUsers } from '#features/users/contract.ts'
import { OPTIONS, optionOf } from '../app/settings/options.ts'
import { type FakeGateway, Refusal } from './fake-gateway.ts'
import { fakeGateway, SETUP } from './open-page.tsx'

const NO_DELETION = {
  is_running: false,
  target_timestamp: 0,
  total: 0,
  deleted: 0,
  has_failed: false,
  started_at: 0,
  finished_at: 0,
} as const

interface SettingsGateway {
  readonly gateway: FakeGateway
  /** The options as stored now. */
  readonly stored: Map<string, string>
  /** The keys in the order in which the console has saved them. */
  readonly saved: () => readonly string[]
}

interface SettingsOptions {
  /** Stored values that differ from the initial ones. */
  readonly options?: Readonly<Record<string, string>>
  /** Options whose change is refused, with the reason. */
  readonly refused?: Readonly<Record<string, string>>
  readonly unpriced?: readonly string[]
  readonly defaultRatios?: readonly DefaultRatios[]
  /** Models of enabled channels. */
  readonly served?: readonly string[]
  readonly self?: Partial<User>
}

/** A gateway that stores options, and knows what the settings show beside them. */
export function settingsGateway({
  options = {},
  refused = {},
  unpriced = [],
  defaultRatios = [],
  served = [],
  self = {},
}: SettingsOptions = {}): SettingsGateway {
  const stored = new Map<string, string>()
  for (const [key, { initial }] of Object.entries(OPTIONS)) stored.set(key, options[key] ?? initial)
  const save = ({ key, value }: { readonly key: string; readonly value: string }) => {
    if (!stored.has(key)) throw new Refusal(`no option ${key}`)
    const reason = refused[key]
    if (reason !== undefined) throw new Refusal(reason)
    stored.set(key, value)
  }
  const gateway = fakeGateway({ self })
    .on(listOptions, () =>
      [...stored].map(([key, value]) => {
        const { isSecret } = optionOf(key)
        return { key, value: isSecret ? '' : value, is_secret: isSecret, is_set: value !== '' }
      }),
    )
    .on(putOptions, ({ body }) => {
      for (const change of [body].flat()) save(change)
      return undefined
    })
    .on(getSetup, () => ({ ...SETUP, unpriced_models: [...unpriced] }))
    .on(listDefaultRatios, () => [...defaultRatios])
    .on(listEnabledModels, () => [...served])
    .on(getLogDeletion, () => NO_DELETION)
    .on(searchUsers, () => ({ items: [], total: 1, page: 1, page_size: 1 }))
    .on(searchChannels, () => [], { total: 2, page: 0, page_size: 1 })
  return {
    gateway,
    stored,
    saved: () => gateway.sent(putOptions).flatMap(({ body }) => [body].flat().map(({ key }) => key)),
  }
}

/** Saves the edits of the settings and waits until all are stored. */
export async function saveSettings(user: UserEvent): Promise<void> {
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('Saved')
}
