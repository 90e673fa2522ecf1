import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { PROJECT } from '../harness/program.ts'
import { outputOf } from './release.ts'

/** What a container of the image starts with. */
export interface Image {
  readonly root: string
  readonly environment: Readonly<Record<string, string>>
  readonly workingFolder: string
  readonly user: string
  readonly volumes: readonly string[]
  readonly healthCheck: readonly string[]
  /** The entry point and its arguments. */
  readonly command: readonly string[]
}

/** The base image is Debian 12: its essential packages, and `passwd` for useradd. */
const BASE_PACKAGES = ['passwd']

/**
 * Follows the last stage of the Dockerfile into `root`. The base consists of the files of this machine's own packages, and the
 * executable comes from dist/release. Throws on an instruction that it does not know.
 */
export async function buildImage(root: string): Promise<Image> {
  await unpackBase(root)
  const image = {
    environment: {},
    workingFolder: '/',
    user: '0:0',
    volumes: [],
    healthCheck: [],
    command: [],
  }
  return lastStage().reduce<Promise<Image>>(
    async (built, [instruction, text]) => ({
      ...(await built),
      ...(await follow(await built, instruction, text)),
    }),
    Promise.resolve({ root, ...image }),
  )
}

/** The instructions after the last FROM, each in one line. */
function lastStage(): readonly (readonly [string, string])[] {
  const lines = readFileSync(join(PROJECT, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ').split('\n')
  const start = lines.findLastIndex(line => line.startsWith('FROM '))
  expectDebian(lines[start] ?? '')
  return lines
    .slice(start + 1)
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)])
}

/** The base is built from the packages of this machine, so both must be the same release. */
function expectDebian(from: string): void {
  const release = /^FROM debian:(\d+)-slim$/.exec(from)?.[1]
  if (!readFileSync('/etc/os-release', 'utf8').includes(`VERSION_ID="${release}"`))
    throw new Error(`the image needs a machine with the system of its base: ${from}`)
}

async function unpackBase(root: string): Promise<void> {
  const listed = (await outputOf(['sh', '-c', LIST_FILES, 'sh', ...BASE_PACKAGES])).split('\n')
  // Packages name /bin/sh, which is /usr/bin/sh: the system's folders are links into /usr.
  const paths = listed.map(path => path.replace(/^\/(bin|sbin|lib|lib64)\//, '/usr/$1/').slice(1))
  const present = paths.filter(path => path !== '' && !LINKED.includes(path) && lstatOf(path))
  const [list, archive] = [`${root}.list`, `${root}.tar`]
  writeFileSync(list, [...new Set(present)].sort().join('\n'))
  await outputOf([
    'tar',
    '--create',
    '--no-recursion',
    '--directory=/',
    `--files-from=${list}`,
    `--file=${archive}`,
  ])
  await outputOf(['tar', '--extract', `--directory=${root}`, `--file=${archive}`])
  for (const name of LINKED) symlinkSync(join('usr', name), join(root, name))
  for (const name of ['passwd', 'group'])
    copyFileSync(join(root, `usr/share/base-passwd/${name}.master`), join(root, 'etc', name))
  for (const name of ['shadow', 'gshadow']) writeFileSync(join(root, 'etc', name), '')
}

const LINKED = ['bin', 'sbin', 'lib', 'lib64']

const lstatOf = (path: string) => lstatSync(join('/', path), { throwIfNoEntry: false })

/** Paths of the essential packages, of those that are named, and of what they depend on, as dpkg knows them. */
const LIST_FILES = `
  essential=$(dpkg-query --show --showformat='\${Essential} \${Package}\\n' | sed -n 's/^yes //p')
  apt-cache depends --recurse --installed --important $essential "$@" | grep '^[a-z]' | cut -d: -f1 | sort -u |
    xargs dpkg-query --show --showformat='\${db:Status-Abbrev} \${Package}\\n' 2>/dev/null | sed -n 's/^ii *//p' |
    xargs dpkg --listfiles | grep '^/'
`

async function follow(image: Image, instruction: string, text: string): Promise<Partial<Image>> {
  switch (instruction) {
    case 'RUN':
      await outputOf(['chroot', image.root, '/bin/sh', '-c', text])
      return {}
    case 'COPY':
      copy(image.root, text)
      return {}
    case 'ENV':
      return { environment: { ...image.environment, ...readPairs(text) } }
    case 'WORKDIR':
      return { workingFolder: text }
    case 'USER':
      return { user: text }
    case 'VOLUME':
      return { volumes: [...image.volumes, text] }
    case 'HEALTHCHECK':
      return { healthCheck: readList(text.slice(text.indexOf('CMD ') + 4)) }
    case 'ENTRYPOINT':
    case 'CMD':
      return { command: [...image.command, ...readList(text)] }
    case 'EXPOSE':
    case 'STOPSIGNAL':
      return {}
    default:
      throw new Error(`unknown instruction ${instruction}`)
  }
}

/** Copies from the project, or from the stage of the executable. */
function copy(root: string, text: string): void {
  const words = text.split(' ')
  const mode = words.find(word => word.startsWith('--chmod='))?.slice('--chmod='.length)
  const [source = '', target = ''] = words.filter(word => !word.startsWith('--'))
  const isExecutable = words.includes('--from=executable')
  const from = isExecutable
    ? join(PROJECT, 'dist', 'release', 'bin', `linux-${process.arch}`, 'tollgate')
    : join(PROJECT, source)
  if (!existsSync(from)) throw new Error(`there is no ${from}`)
  mkdirSync(dirname(join(root, target)), { recursive: true })
  copyFileSync(from, join(root, target))
  if (mode) chmodSync(join(root, target), Number.parseInt(mode, 8))
}

const readPairs = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(' ').map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )

function readList(text: string): readonly string[] {
  const list: unknown = JSON.parse(text)
  if (!Array.isArray(list)) throw new Error(`expected a list, found ${text}`)
  return list.map(String)
}
