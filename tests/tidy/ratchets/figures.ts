import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { PROJECT } from '../../harness/program.ts'
import { filesOf, isProgram, isTest, nodesOf, type Source } from '../source.ts'
import { copiedPairsPerThousandFiles } from './copied-lines.ts'
import { type Import, importsOf, valueClosure } from './import-graph.ts'

const CODE_ROOTS = ['contract', 'server', 'console', 'features', 'scripts', 'bench']
const CODE = /\.(ts|tsx|mjs|css)$/
const TEST = /\.test\.tsx?$/
const TESTING = /\/testing(\.ts$|\/)/
/** A new feature, provider or wire format is a folder, and changes no limit. */
const GROWING = /^(features|server\/(providers|dialects|provider-kit))\//
/** Rooms of the server that grow with providers and formats, or serve tests. */
const NOT_OF_THE_BASE = /^server\/(providers|dialects|provider-kit|lab|testing)\//
const FEATURE = /^features\/([^/]+)\//
/** Waits for a time instead of what happens in it. */
const SLEEP = /\b(?:sleepMs|Bun\.sleep|waitForTimeout)\(/g
/** Contracts of features are public. */
const FEATURE_CONTRACT = /^features\/[^/]+\/contract(\.ts$|\/)/

/** What `ratchets.json` limits, except for the figures that need a running gateway. */
export function figuresOf(sources: readonly Source[]): Readonly<Record<string, number>> {
  const imports = importsOf(sources)
  const closure = (path: string): number => valueClosure(imports, path).size
  return {
    'imports of features by other features': imports.filter(isBetweenFeatures).length,
    'imports of features by the base': imports.filter(isFromBaseToFeature).length,
    'files that settle.ts loads': closure('server/relay/billing/settle.ts'),
    'files that charge.ts loads': closure('server/pricing/charge.ts'),
    'files that pipeline.ts loads': closure('server/relay/pipeline.ts'),
    'files that name the token field allow_ips': filesNaming(sources, /\ballow_ips\b/),
    'files that name the margin alarm option': filesNaming(sources, /MarginAlarmRequests|marginAlarm/),
    'types in server/pricing': typesIn(sources, 'server/pricing/'),
    'hooks of the relay': membersOf(sources, 'server/relay/hooks.ts', 'RelayHooks'),
    'slots of the console': membersOf(sources, 'console/app/slots.ts', 'SlotFillings'),
    'sleeps in tests': sleepsIn(sources),
    'copied lines: pairs of files per thousand files': copiedPairsPerThousandFiles(sources),
    ...lineFigures(),
  }
}

/** Features and the base know each other's contracts only: the console calls any endpoint, as any client may. */
function isBetweenFeatures({ from, to }: Import): boolean {
  const [importer, imported] = [featureOf(from), featureOf(to)]
  return importer !== undefined && imported !== undefined && importer !== imported && !isPublic(from, to)
}

const isFromBaseToFeature = ({ from, to }: Import): boolean =>
  /^(contract|server|console)\//.test(from) && featureOf(to) !== undefined && !isPublic(from, to)

const isPublic = (from: string, to: string): boolean =>
  FEATURE_CONTRACT.test(to) && /^(console\/|features\/[^/]+\/console\/)/.test(from)

const featureOf = (path: string): string | undefined => FEATURE.exec(path)?.[1]

const filesNaming = (sources: readonly Source[], name: RegExp): number =>
  sources.filter(source => isProgram(source) && !isTest(source) && name.test(source.tree.text)).length

const sleepsIn = (sources: readonly Source[]): number =>
  sources
    .filter(source => isTest(source) || source.path.startsWith('tests/'))
    .flatMap(source => [...source.tree.text.matchAll(SLEEP)]).length

const typesIn = (sources: readonly Source[], folder: string): number =>
  sources
    .filter(source => source.path.startsWith(folder) && !isTest(source))
    .flatMap(source => nodesOf(source, isTypeDeclaration)).length

/** The members of an interface. Throws when the file does not declare it. */
function membersOf(sources: readonly Source[], path: string, name: string): number {
  const declared = sources
    .filter(source => source.path === path)
    .flatMap(source => nodesOf(source, ts.isInterfaceDeclaration))
    .find(node => node.name.text === name)
  if (!declared) throw new Error(`expected ${path} to declare the interface ${name}`)
  return declared.members.length
}

const isTypeDeclaration = (node: ts.Node): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)

function lineFigures(): Readonly<Record<string, number>> {
  const files = CODE_ROOTS.flatMap(filesOf)
    .filter(path => CODE.test(path) && !TEST.test(path) && !path.includes('/fixtures/'))
    .map(path => ({ path, lines: linesOf(path) }))
  const shipped = files.filter(({ path }) => !TESTING.test(path))
  const features = Map.groupBy(shipped, ({ path }) => featureOf(path))
  features.delete(undefined)
  return {
    'lines of code outside features, providers and formats': sumOfLines(
      files.filter(({ path }) => !GROWING.test(path)),
    ),
    'lines of the base': sumOfLines(
      shipped.filter(({ path }) => path.startsWith('server/') && !NOT_OF_THE_BASE.test(path)),
    ),
    'lines of the largest feature': Math.max(...[...features.values()].map(sumOfLines)),
  }
}

const linesOf = (path: string): number =>
  readFileSync(join(PROJECT, path), 'utf8').trimEnd().split('\n').length

const sumOfLines = (files: readonly { readonly lines: number }[]): number =>
  files.reduce((sum, { lines }) => sum + lines, 0)
