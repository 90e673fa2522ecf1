import ts from 'typescript'
import { type Finding, isServer, isTest, nodesOf, placeOf, type Source } from './source.ts'

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
