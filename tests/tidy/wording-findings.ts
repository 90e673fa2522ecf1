import ts from 'typescript'
import { type Finding, isTest, nodesOf, placeOf, type Source } from './source.ts'

/** What a text says otherwise, and the word for it. */
type Wording = readonly [RegExp, string]

const ENGLISH: readonly Wording[] = [
  [/\be-mails?\b/i, 'email'],
  [/\blog(ged|ging)? ?(in|out)\b|\blogins?\b|\blogouts?\b/i, 'sign in or sign out'],
  [/\bplease\b/i, 'the imperative without it'],
  [/[A-Za-z]!(?!=)/, 'a sentence without an exclamation mark'],
  [/\w\.\.\.(?!\w)/, '…'],
]
/** Google's own term for a service account is kept. */
const CHINESE: readonly Wording[] = [
  [/你/, '您'],
  [/(?<!服务)账号|帐/, '账户'],
]

/** Quoted by the specification, or a greeting. */
const EXCEPTIONS = new Set(['Happy New Year!'])

/** Texts of the console and the server that call a thing by another name than all others do. */
export function wordingFindings(source: Source): readonly Finding[] {
  if (!/^(console|server)\//.test(source.path) || isTest(source)) return []
  return nodesOf(source, isText).flatMap(node => {
    const { text } = node
    const wordings = EXCEPTIONS.has(text.trim()) ? [] : wordingsOf(node)
    return wordings
      .filter(([otherwise]) => otherwise.test(text))
      .map(
        ([, word]) =>
          `${placeOf(source, node.getStart())} says otherwise than “${word}”: ${text.slice(0, 80)}`,
      )
  })
}

type Text = ts.StringLiteralLike | ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail

const isText = (node: ts.Node): node is Text =>
  ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)

/** The wordings of the language that a text is declared in: below a property or a constant named `en` or `zh`. */
function wordingsOf(node: ts.Node): readonly Wording[] {
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent) {
    if (!ts.isPropertyAssignment(at) && !ts.isVariableDeclaration(at)) continue
    const name = at.name.getText()
    if (name === 'en') return ENGLISH
    if (name === 'zh') return CHINESE
  }
  return []
}
