import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportFocus } from '#features/focus-export/contract.ts'
import { addUser } from '../../harness/add-user.ts'
import { callChat } from '../../harness/call-chat.ts'
import { addLabChannel, addToken } from '../../harness/lab-channel.ts'
import { setOptions } from '../../harness/set-options.ts'
import { startSite } from '../../harness/start-site.ts'
import { installClient } from '../install-clients.ts'

/** The versions with which the validator starts: its own bounds let in newer ones, with which it does not. */
const PACKAGES = [
  { registry: 'pypi', name: 'focus-validator', version: '2.2.1' },
  { registry: 'pypi', name: 'pyarrow', version: '17.0.0' },
] as const

/** What a gateway has: users in one installation, tokens as resources, usage and tags. */
const CRITERIA = [
  'ACCOUNT_NAMING_SUPPORTED',
  'USAGE_MEASUREMENT_SUPPORTED',
  'SUB_ACCOUNT_SUPPORTED',
  'RESOURCE_TYPE_ASSIGNMENT_SUPPORTED',
  'TAGGING_SUPPORTED',
  'MULTIPLE_SUB_ACCOUNT_TYPES_SUPPORTED',
  'MULTIPLE_BILLING_ACCOUNT_TYPES_SUPPORTED',
].join(',')

/** Either this rule or InvoiceId-C-005-C fails for every file: the validator counts both branches of an alternative. */
const ALTERNATIVES = new Set(['InvoiceId-C-004-C'])

const MODEL = 'gpt-4o-mini'

const clients = await installClient('focus', PACKAGES)
const site = await startSite()
const folder = mkdtempSync(join(tmpdir(), 'focus-'))
try {
  await setOptions(site.root, { RequestTagKeys: 'project\nenv', ModelRatio: { [MODEL]: 1 } })
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: [MODEL] })
  for (const username of ['anna', 'bela']) {
    const user = await addUser(site.gateway, { username, wallet: 50_000_000 })
    const { key } = await addToken(user)
    for (const project of ['website', 'app', undefined]) {
      const body = {
        model: MODEL,
        messages: [{ role: 'user', content: 'hello' }],
        ...(project && { metadata: { project, env: 'prod' } }),
      }
      const { status } = await callChat({ url: site.gateway.url, key, body })
      if (status !== 200) throw new Error(`a chat was answered with ${status}`)
    }
  }
  const file = join(folder, 'focus.csv')
  const { cookie, userId } = site.root
  const headers = { cookie, 'new-api-user': String(userId) }
  const response = await fetch(`${site.gateway.url}${exportFocus.path}`, { headers })
  writeFileSync(file, await response.text())
  process.exitCode = await validate(file)
} finally {
  await site.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** 0 when the file follows every rule. The validator itself exits with 0 also where it does not. */
async function validate(file: string): Promise<number> {
  const program = Bun.spawn(
    [
      join(clients, 'venv', 'bin', 'focus-validator'),
      ...['--data-file', file, '--validate-version', '1.2', '--block-download', '--show-violations'],
      ...['--applicability-criteria', CRITERIA],
    ],
    // It looks for its list of currencies below the folder that it is installed in.
    { cwd: sitePackages(), stdout: 'pipe', stderr: 'inherit' },
  )
  const report = await new Response(program.stdout).text()
  const code = await program.exited
  const total = /^Total: .*Pass: (\d+).*$/m.exec(report)
  const failed = [...report.matchAll(/^❌ ([\w-]+): FAIL.*$/gmu)].filter(
    ([, rule = '']) => !ALTERNATIVES.has(rule),
  )
  process.stdout.write([total?.[0] ?? report, ...failed.map(([line]) => line), ''].join('\n'))
  return code === 0 && Number(total?.[1] ?? 0) > 0 && failed.length === 0 ? 0 : 1
}

function sitePackages(): string {
  const [found] = [
    ...new Bun.Glob('venv/lib/python*/site-packages/focus_validator/__init__.py').scanSync(clients),
  ]
  if (!found) throw new Error('the validator is not installed')
  return join(clients, found, '..', '..')
}
