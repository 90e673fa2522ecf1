import ts from 'typescript'
import { kebabOf } from './name-findings.ts'
import { type Finding, isProgram, isTest, nodesOf, placeOf, type Source } from './source.ts'

/** Folders whose name is also that of a format that clients and other providers speak, or a plain word. */
const FORMATS: readonly string[] = [
  'openai',
  'anthropic',
  'gemini',
  'cohere',
  'custom',
  'suno',
  'midjourney-proxy',
]

/** Files outside the providers' folders that may name a provider, and why. */
const MAY_NAME: readonly (readonly [path: RegExp, reason: string])[] = [
  [
    /^server\/providers\//,
    'providers serve models of others; dependency rules keep them from importing each other',
  ],
  [/^server\/pricing\/(catalogue|ratio-rules)\.ts$/, 'models are priced and limited by their names'],
  [
    /^features\/pricing-page\/console\/prices\.ts$/,
    'models are listed under the makers that their names tell',
  ],
  [
    /^features\/price-updates\/(server\/feeds\/|contract\.ts$)/,
    'price lists of others name providers and their models',
  ],
  [
    /^features\/reconciliation\/(server\/bills\/|contract\.ts$)/,
    'bills are read in the formats of those who make them',
  ],
  [/^features\/import\/server\/sources\//, 'other gateways name providers in their own terms'],
  [/^server\/provider-kit\/failures\.ts$/, 'keys are recognised by their prefixes'],
  [
    /^server\/provider-kit\/openai-compatible\/request\.ts$/,
    'a proxy in front of any provider of the family',
  ],
  [
    /^server\/(http\/response-headers\.ts$|http-client\/provider-request\.ts$|integrations\/)|^console\/app\/sign-in\/human-check\.tsx$/,
    'the captcha at sign-in is a product of its own',
  ],
]

/**
 * Code that names one provider although it stands outside of the providers' folders. Comments may: they say where a
 * rule comes from.
 */
export function providerNameFindings(source: Source, providers: readonly string[]): readonly Finding[] {
  const isCode = isProgram(source) && !isTest(source)
  if (!isCode || MAY_NAME.some(([path]) => path.test(source.path))) return []
  const letters = lettersOf(source.tree.text)
  const names = providers.filter(
    provider => !FORMATS.includes(provider) && letters.includes(lettersOf(provider)),
  )
  if (names.length === 0) return []
  return nodesOf(source, isSaying).flatMap(node => {
    const words = `-${kebabOf(node.text).replace(/[^a-z0-9]+/g, '-')}-`
    const named = names.find(name => words.includes(`-${name}-`))
    return named
      ? [`${placeOf(source, node.getStart())} names ${named}: make it a member of the manifest`]
      : []
  })
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')

type Saying =
  | ts.Identifier
  | ts.StringLiteralLike
  | ts.RegularExpressionLiteral
  | ts.TemplateLiteralLikeNode
  | ts.JsxText

const isSaying = (node: ts.Node): node is Saying =>
  ts.isIdentifier(node) ||
  ts.isStringLiteralLike(node) ||
  ts.isRegularExpressionLiteral(node) ||
  ts.isTemplateLiteralToken(node) ||
  ts.isJsxText(node)
