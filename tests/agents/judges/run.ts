import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { addLabChannel, addToken } from '../../harness/lab-channel.ts'
import { PROJECT } from '../../harness/program.ts'
import { setOptions } from '../../harness/set-options.ts'
import { startSite } from '../../harness/start-site.ts'
import { CHANNEL_KINDS, type ChannelKind, MODELS, type PinnedPackage } from '../agent.ts'
import { installClient } from '../install-clients.ts'

interface Judge {
  readonly packages: readonly PinnedPackage[]
  /** Arguments of Python; the file is in this folder. */
  readonly command: readonly string[]
}

const pypi = (name: string, version: string): PinnedPackage => ({ registry: 'pypi', name, version })
const FOLDER = join(PROJECT, 'tests', 'agents', 'judges')

/** Suites of others that say what a server of an API must do. */
const JUDGES: Readonly<Record<string, Judge>> = {
  'open-responses': {
    packages: [pypi('openresponses-py', '0.1.2'), pypi('jsonschema', '4.26.0'), pypi('websockets', '16.1.1')],
    command: [join(FOLDER, 'open-responses.py')],
  },
  langchain: {
    packages: [pypi('langchain-tests', '1.1.9'), pypi('langchain-openai', '1.7.4')],
    command: [
      ...[
        '-m',
        'pytest',
        '--quiet',
        '--disable-warnings',
        '-p',
        'no:cacheprovider',
        '-o',
        'asyncio_mode=auto',
      ],
      // Its client keeps connections, which belong to the loop that opened them.
      ...[
        '-o',
        'asyncio_default_fixture_loop_scope=session',
        '-o',
        'asyncio_default_test_loop_scope=session',
      ],
      // The lab does not think: its calls have sample values, and its text is the same in every format.
      ...[
        '-k',
        'not structured_output and not unicode_tool_call and not (test_tool_calling and (model0 or model1 or async))',
      ],
      join(FOLDER, 'test_langchain.py'),
    ],
  },
}

const { values, positionals } = parseArgs({
  options: { channel: { type: 'string', multiple: true } },
  allowPositionals: true,
})
const [name = ''] = positionals
const judge = JUDGES[name]
if (!judge) throw new Error(`found the judge ${name}, needed one of ${Object.keys(JUDGES).join(', ')}`)
const kinds = CHANNEL_KINDS.filter(kind => values.channel?.includes(kind) !== false)
if (kinds.length === 0) throw new Error(`--channel: needed some of ${CHANNEL_KINDS.join(', ')}`)

const clients = await installClient(name, judge.packages)
const site = await startSite()
const failed: ChannelKind[] = []
try {
  const models = kinds.map(kind => MODELS[kind])
  await setOptions(site.root, { ModelRatio: Object.fromEntries(models.map(model => [model, 1])) })
  for (const kind of kinds)
    await addLabChannel(site.root, site.lab, { provider: kind, models: [MODELS[kind]], scenario: 'tools' })
  const { key } = await addToken(site.root)
  for (const kind of kinds) {
    process.stdout.write(`${name} on a channel of the kind ${kind}\n`)
    const environment = { GATEWAY_URL: site.gateway.url, GATEWAY_KEY: `sk-${key}`, MODEL: MODELS[kind] }
    const program = Bun.spawn([join(clients, 'venv', 'bin', 'python'), ...judge.command], {
      env: { ...process.env, ...environment, PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    if ((await program.exited) !== 0) failed.push(kind)
  }
} finally {
  await site.stop()
}
process.stdout.write(failed.length === 0 ? 'all passed\n' : `failed on ${failed.join(', ')}\n`)
process.exit(failed.length === 0 ? 0 : 1)
