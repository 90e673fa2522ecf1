import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import project from '../../package.json' with { type: 'json' }
import { PROJECT } from '../harness/program.ts'
import { filesOf } from './source.ts'

const read = (path: string): string => readFileSync(join(PROJECT, path), 'utf8')

const YAML_FILES = [
  'compose.yml',
  ...['deploy', '.github'].flatMap(filesOf).filter(path => /\.ya?ml$/.test(path)),
].filter(path => !path.includes('/templates/'))

/** Seconds that responses in progress get, and a few more. */
const STOP_SECONDS = 35

test.each(YAML_FILES.map(path => [path]))('%s is valid YAML', path => {
  expect(typeof Bun.YAML.parse(read(path))).toBe('object')
})

describe('the Dockerfile', () => {
  const lines = read('Dockerfile').replaceAll('\\\n', ' ').split('\n')
  const argumentsOf = (instruction: string) =>
    lines.filter(line => line.startsWith(`${instruction} `)).map(line => line.slice(instruction.length + 1))
  const copied = argumentsOf('COPY')
    .filter(text => !text.includes('--from='))
    .flatMap(text =>
      text
        .split(/\s+/)
        .filter(word => !word.startsWith('--'))
        .slice(0, -1),
    )

  test('copies only files that exist, apart from those of a release', () => {
    const own = copied.filter(path => !path.startsWith('dist/'))
    expect(own).toContain('server')
    expect(own.filter(path => !existsSync(join(PROJECT, path)))).toEqual([])
  })

  test('copies only files that .dockerignore lets through', () => {
    const kept = read('.dockerignore')
      .split('\n')
      .filter(line => line.startsWith('!'))
      .map(line => line.slice(1))
    expect(
      copied.filter(path => !kept.some(entry => path === entry || path.startsWith(`${entry}/`))),
    ).toEqual([])
  })

  test('copies the executables that npm run release writes', () => {
    const { stdout } = Bun.spawnSync(
      [
        'node',
        '--input-type=module',
        '--eval',
        `const { TARGETS } = await import('./scripts/release/targets.mjs')
         const { executablePath } = await import('./scripts/release/executables.mjs')
         process.stdout.write(TARGETS.map(executablePath).join('\\n'))`,
      ],
      { cwd: PROJECT },
    )
    const written = stdout
      .toString()
      .split('\n')
      .map(path => path.slice(PROJECT.length + 1))
    const taken = copied.filter(path => path.startsWith('dist/'))
    expect(taken).toHaveLength(2)
    expect(taken.filter(path => !written.includes(path))).toEqual([])
  })

  test('runs the gateway as its own user with a health check', () => {
    expect(argumentsOf('USER')).toEqual(['10001:10001'])
    expect(argumentsOf('HEALTHCHECK')[0]).toEndWith('CMD ["tollgate", "doctor", "--ready"]')
    expect(argumentsOf('VOLUME')).toEqual(['/data'])
  })
})

test('the compose file runs the gateway read-only, without privileges, and lets it drain', () => {
  const { services } = Bun.YAML.parse(read('compose.yml')) as ComposeFile
  expect(services.tollgate).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    stop_grace_period: `${STOP_SECONDS}s`,
  })
  expect(services.postgres?.profiles).toEqual(['postgres'])
  expect(services.redis?.profiles).toEqual(['redis'])
})

interface ComposeFile {
  readonly services: Readonly<Record<string, { readonly profiles?: readonly string[] }>>
}

test('the systemd unit has a read-only system, a user of its own and time to drain', () => {
  const settings = Object.fromEntries(
    read('deploy/systemd/tollgate.service')
      .split('\n')
      .filter(line => /^\w+=/.test(line))
      .map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  expect(settings).toMatchObject({
    ExecStart: '/usr/local/bin/tollgate serve',
    TimeoutStopSec: String(STOP_SECONDS),
    DynamicUser: 'yes',
    StateDirectory: 'tollgate',
    ProtectSystem: 'strict',
    NoNewPrivileges: 'yes',
  })
  // The compiler of the runtime writes code to memory.
  expect(settings.MemoryDenyWriteExecute ?? 'no').toBe('no')
})

test('workflows run only scripts that package.json has', () => {
  const workflows = ['ci', 'release'].map(name => read(`.github/workflows/${name}.yml`)).join('\n')
  const names = [...workflows.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name)
  expect(names).toContain('release')
  expect(names.filter(name => !Object.hasOwn(project.scripts, name))).toEqual([])
})

describe('the Helm chart', () => {
  const chart = 'deploy/helm/tollgate'
  const templates = filesOf(`${chart}/templates`).map(read).join('\n')

  test('has the version of the project', () => {
    const { version, appVersion } = Bun.YAML.parse(read(`${chart}/Chart.yaml`)) as Record<string, unknown>
    expect([version, appVersion]).toEqual([project.version, project.version])
  })

  test('reads only values that values.yaml declares, and all of them', () => {
    const declared = pathsOf(Bun.YAML.parse(read(`${chart}/values.yaml`)))
    const used = [...templates.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path)
    expect(used.filter(path => !declared.includes(path))).toEqual([])
    const isUsed = (path: string) => used.some(other => path === other || path.startsWith(`${other}.`))
    expect(
      declared.filter(path => !isUsed(path) && !declared.some(other => other.startsWith(`${path}.`))),
    ).toEqual([])
  })

  test('has every kind of object that a rolling update needs', () => {
    const kinds = [...templates.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind)
    expect(kinds.sort()).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'PodDisruptionBudget',
      'Secret',
      'Service',
      'ServiceMonitor',
    ])
    expect(templates).toContain('preStop')
  })
})

test('the templates of platforms check /readyz and let the gateway drain', () => {
  const fly = Bun.TOML.parse(read('deploy/fly/fly.toml'))
  expect(fly).toMatchObject({ kill_timeout: STOP_SECONDS, http_service: { checks: [{ path: '/readyz' }] } })
  expect(JSON.parse(read('deploy/railway/railway.json')).deploy).toMatchObject({
    healthcheckPath: '/readyz',
    drainingSeconds: STOP_SECONDS,
  })
  const { services } = Bun.YAML.parse(read('deploy/render/render.yaml')) as { services: readonly unknown[] }
  expect(services[0]).toMatchObject({ healthCheckPath: '/readyz', maxShutdownDelaySeconds: STOP_SECONDS })
})

/** The dotted paths of an object, those of its branches included. */
function pathsOf(value: unknown, path: readonly string[] = []): readonly string[] {
  const own = path.length > 0 ? [path.join('.')] : []
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return own
  return [...own, ...Object.entries(value).flatMap(([key, child]) => pathsOf(child, [...path, key]))]
}
