import ts from 'typescript'
import latinNames from './latin-names.json'
import { type Finding, isProgram, isServer, isTest, nodesOf, placeOf, type Source } from './source.ts'

const CHINESE = /[\u4e00-\u9fff]/
const WORDS = /[A-Za-z]{3,} [A-Za-z]{2,}/

/**
 * Texts of the server in one language only: a Chinese text without Chinese that has English words, or an English one
 * with Chinese. That both exist is checked by the types.
 */
export function languageFindings(source: Source): readonly Finding[] {
  if (!isServer(source) || isTest(source)) return []
  return nodesOf(source, ts.isPropertyAssignment)
    .filter(isInWrongLanguage)
    .map(node => `${placeOf(source, node.getStart())} is not in its language: ${node.getText().slice(0, 80)}`)
}

function isInWrongLanguage({ name, initializer }: ts.PropertyAssignment): boolean {
  if (!ts.isStringLiteralLike(initializer) && !ts.isTemplateExpression(initializer)) return false
  const text = withoutValues(initializer)
  if (name.getText() === 'zh') return !CHINESE.test(text) && WORDS.test(text)
  return name.getText() === 'en' && CHINESE.test(text)
}

/** The fixed parts of a text. */
const withoutValues = (text: ts.StringLiteralLike | ts.TemplateExpression): string =>
  ts.isTemplateExpression(text)
    ? [text.head.text, ...text.templateSpans.map(({ literal }) => literal.text)].join(' ')
    : text.text

/** Programs, keywords and fields that a Chinese text calls by their own names. */
const NAMES: ReadonlySet<string> = new Set(latinNames)
const LATIN_WORD = /[A-Za-z][\w./-]*/g
/** What has a capital, or is written as an identifier, an address or a version, is a name. */
const IS_NAME = /[A-Z_./\d-]/
/** Schemes of addresses, placeholders and quoted texts. */
const NOT_WORDS = /\w+:\/\/|\{\w+\}|`[^`]*`|"[^"]*"/g

/** The words of a Chinese text that are neither Chinese nor a name. */
export const foreignWords = (text: string): readonly string[] =>
  [...text.replace(NOT_WORDS, ' ').matchAll(LATIN_WORD)]
    .map(([word]) => word)
    .filter(word => word.length > 1 && !IS_NAME.test(word) && !NAMES.has(word))

/** Words of another language in Chinese texts of the server and the console. */
export function foreignWordFindings(source: Source): readonly Finding[] {
  if (!isProgram(source) || isTest(source)) return []
  return nodesOf(source, isChinese).flatMap(({ initializer }) =>
    textsIn(initializer)
      .filter(text => CHINESE.test(text))
      .map(text => [text, foreignWords(text)] as const)
      .filter(([, words]) => words.length > 0)
      .map(
        ([text, words]) =>
          `${placeOf(source, initializer?.getStart() ?? 0)} has ${words.join(', ')} in a Chinese text, which latin-names.json does not list: ${text.slice(0, 60)}`,
      ),
  )
}

type Named = ts.PropertyAssignment | ts.VariableDeclaration

const isChinese = (node: ts.Node): node is Named =>
  (ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) && node.name.getText() === 'zh'

/** The texts of a value, however deep it holds them. */
function textsIn(value: ts.Node | undefined): readonly string[] {
  if (!value) return []
  if (ts.isStringLiteralLike(value) || ts.isTemplateExpression(value)) return [withoutValues(value)]
  if (ts.isObjectLiteralExpression(value))
    return value.properties.flatMap(entry =>
      ts.isPropertyAssignment(entry) ? textsIn(entry.initializer) : [],
    )
  if (ts.isArrayLiteralExpression(value)) return value.elements.flatMap(textsIn)
  return ts.isConditionalExpression(value) ? [...textsIn(value.whenTrue), ...textsIn(value.whenFalse)] : []
}
