import { z } from 'zod'
import { RECORDS } from '../audited-records.ts'
import { endpoint } from '../endpoint.ts'
import { flagField, numberField, textField } from '../fields.ts'
import { PRESENCE_DESCRIPTIONS } from '../presence.ts'

export const OptionEntry = z
  .object({
    key: textField('Name of the option.', 'SystemName'),
    value: textField('Value as text; empty for secrets.', 'Tollgate'),
    is_secret: flagField('Whether the value is secret.', false),
    is_set: flagField('Whether the value is not empty.', true),
  })
  .meta({ id: 'OptionEntry', description: 'A system option.' })
export type OptionEntry = z.infer<typeof OptionEntry>

export const OptionChange = z.object({
  key: z.string().min(1).max(100).meta({ description: 'Name of the option.', example: 'SystemName' }),
  value: z.union([z.string(), z.number(), z.boolean()]).default('').transform(String).meta({
    format: 'password',
    description: 'New value. Absent: empty. An empty text deletes a secret.',
    example: 'Tollgate',
  }),
})

export const listOptions = endpoint({
  method: 'GET',
  path: '/api/option/',
  role: 'root',
  summary: 'List all system options',
  reply: z.array(OptionEntry),
})

export const getSetup = endpoint({
  method: 'GET',
  path: '/api/option/setup',
  role: 'root',
  summary: 'Get what a new installation still lacks',
  reply: z.object({
    has_channel: flagField('Whether there is a channel.', true),
    has_tested_channel: flagField('Whether a channel has been tested.', false),
    model_count: numberField('Number of models of enabled channels.', 12),
    unpriced_models: z.array(z.string()).meta({
      description: 'Models of enabled channels that cannot be called for want of a price.',
      example: ['my-model'],
    }),
    has_token: flagField('Whether you have a token.', true),
    has_server_address: flagField('Whether the address of the server is set.', false),
    has_retries: flagField('Whether a request moves on to another channel when one fails.', true),
    has_email: flagField('Whether a mail server is set.', false),
    has_shared_limits: flagField(
      'Whether rate limits hold across processes: false while their store does not respond.',
      true,
    ),
  }),
})

export const putOptions = endpoint({
  method: 'PUT',
  path: '/api/option/',
  role: 'root',
  changes: RECORDS.option,
  changedRows: ({ body }) => ({ key: (Array.isArray(body) ? body : [body]).map(({ key }) => key) }),
  summary: 'Update one or several system options',
  description: `Several options are stored in one transaction, all or none. Changes of prices, payment and sign-in are guarded. ${PRESENCE_DESCRIPTIONS['recent-session']} \`ServerAddress\`, \`SMTPServer\`, \`WeChatServerAddress\` and \`TelegramBotToken\` decide who receives the mails and sign-ins of all accounts: an access token does not change them.`,
  body: z.union([OptionChange, z.array(OptionChange).min(1).max(200)]),
  needsFor({ body, needsOfOption }) {
    const changes = Array.isArray(body) ? body : [body]
    const needs = changes.map(({ key, value }) => needsOfOption(key, value))
    return needs.find(need => need === 'recent-sign-in') ?? needs.find(need => need !== undefined)
  },
})

export const LatestRelease = z
  .object({
    running: textField('Version of this server.', '0.1.0'),
    latest: textField('Latest version.', '0.2.0'),
    is_newer: flagField('Whether the latest version is newer than the running one.', true),
    url: textField('Page of the release; empty for none.', 'https://example.com/releases/0.2.0'),
    notes: textField('Release notes as Markdown.', '### Added'),
    published_at: numberField('Unix seconds of the publication; 0: unknown.', 1_760_000_000),
  })
  .meta({ id: 'LatestRelease', description: 'The latest release, compared with the running version.' })
export type LatestRelease = z.infer<typeof LatestRelease>

export const getLatestRelease = endpoint({
  method: 'GET',
  path: '/api/option/latest_release',
  role: 'root',
  summary: 'Check for a newer release',
  description: 'Fetches the address in `UpdateFeedUrl`.',
  reply: LatestRelease,
})

export const resetModelRatio = endpoint({
  method: 'POST',
  path: '/api/option/rest_model_ratio',
  role: 'root',
  changes: RECORDS.option,
  changedRows: () => ({ key: ['ModelRatio'] }),
  summary: 'Reset the model ratios to their defaults',
  needs: 'recent-session',
})
