import ts from 'typescript'
import { type Finding, isProgram, isTest, nodesOf, placeOf, type Source } from './source.ts'

/** What a text says otherwise, and the word for it. The glossary's section on texts explains the choices. */
type Wording = readonly [RegExp, string]

const ENGLISH: readonly Wording[] = [
  [/\be-mails?\b|\bmails?\b/i, 'email'],
  [/\blog(ged|ging)? ?(in|out)\b|\blogins?\b|\blogouts?\b/i, 'sign in or sign out'],
  [/\bregist(er|ers|ered|ering|ration)\b/i, 'sign up'],
  [/\buser names?\b/i, 'username'],
  [/\badd channel\b|\bnew (row|record)\b/i, 'New and the name of the thing'],
  [/\bvendors?\b/i, 'provider'],
  [/\bpictures?\b/i, 'image'],
  [/\blog rows?\b|\bno logs\b/i, 'log entry'],
  [/\bown group\b/i, 'your group'],
  [/\bAPI keys? (is|are|was|were)\b/i, 'token'],
  [/\bAPI address\b|\bAPI base URL\b/i, 'base URL'],
  [
    /\b(sign-in|sign-up|dashboard|endpoint|callbacks?)( with a password)? (is|are) (dis|en)abled/i,
    'turned on or off',
  ],
  [/\bask (an?|the|your) administrator\b|\bcontact (an|your) administrator\b/i, 'contact the administrator'],
  [/\b0 is no limit\b/, '0 means no limit'],
  [/(?<![\w{])ids?(?![\w}:])/, 'ID'],
  [/\bwebsocket/, 'WebSocket'],
  [/\blicence\b/i, 'license'],
  [/\bcatalogues?\b/i, 'catalog'],
  [
    /\b(colou|behaviou|favou)r|\w(organi|recogni|authori|customi)s(e|ed|es|ing|ation)\b/i,
    'the American spelling',
  ],
  [/(?<!\{)\bunits\b(?!\})/, 'money, by formatQuota'],
  [/\b(re|un)?bind(s|ing)?\b|\b(un)?bound\b(?! to this)/i, 'link, unlink'],
  [/\bderegister/i, 'delete'],
  [/\bhuman check\b/i, 'captcha'],
  [/\ball days are those\b/i, 'dates are in UTC'],
  [/\{seconds\} seconds/, '{seconds} s, which is right for 1 too'],
  [
    /(?<!not you), (try again|contact the administrator|reload)\b/,
    'a semicolon or a new sentence before advice',
  ],
  [/\bplease\b/i, 'the imperative without it'],
  [/[A-Za-z]!(?!=)/, 'a sentence without an exclamation mark'],
  [/\w\.\.\.(?!\w)/, '…'],
  [/[‘’“”]/, 'straight quotation marks'],
]

const HAN = '\\p{Script=Han}'

/** Google's own term for a service account is kept. */
export const CHINESE: readonly Wording[] = [
  [/你/, '您'],
  [/(?<!服务)账号|帐/, '账户'],
  [/登陆/, '登录'],
  [/提供商|服务商/, '供应商'],
  [/代理地址/, 'API 地址'],
  [/敏感词/, '屏蔽词'],
  [/进货价/, '采购价'],
  [/双重验证|二次验证|双因素/, '两步验证'],
  [/服务等级/, '服务层级'],
  [/耗时/, '用时'],
  [/模型重定向/, '模型映射'],
  [/停用/, '禁用'],
  [/(添加|新建)(新的)?(渠道|令牌|用户|兑换码)/, '创建'],
  [/没有找到(渠道|令牌|用户|日志|任务|模型|兑换码)/, '没有符合条件的…'],
  [/不(可|能)恢复/, '此操作不可撤销'],
  [/后再试/, '后重试'],
  [/(表示|留空则)不限(?!制)/, '不限制'],
  [/(?<![\w{|-])tokens?(?![\w}|])/, 'Token'],
  [/(?<!成功)！/, '句号或不加标点'],
  [/[「」]/, '“”'],
  [/\.\.\./, '…'],
  [new RegExp(`${HAN} ?[,;:!?()]|[,;!?()] ?${HAN}`, 'u'), '全角标点'],
  [new RegExp(`${HAN}[A-Za-z0-9]|[A-Za-z0-9]${HAN}`, 'u'), '中英文之间的空格'],
]

/** Quoted by the specification, a greeting, or a unit. */
const EXCEPTIONS = new Set([
  // The unit of amounts that are not shown as money.
  'units',
  'Happy New Year!',
  '新年快乐！',
  '注销成功!',
  '渠道复制失败: {reason}',
  '操作失败，重定向至登录界面中...',
  '当前没有可用的启用令牌，请确认是否有令牌处于启用状态！',
  '操作成功完成！',
  '令牌创建成功，请在列表页面点击复制获取令牌！',
])

const IS_HELP = /(Help|_help)$/
const ENDS_A_SENTENCE = /[.?!…:。？！：}]$/

/** Texts of the product that call a thing by another name than all others do, and help without a period. */
export function wordingFindings(source: Source): readonly Finding[] {
  if (!isProgram(source) || isTest(source)) return []
  return nodesOf(source, isText).flatMap(node => {
    const { text } = node
    if (EXCEPTIONS.has(text.trim())) return []
    const others = wordingsOf(node).filter(([otherwise]) => otherwise.test(text))
    const words = others.map(([, word]) => `says otherwise than “${word}”`)
    const faults =
      isHelp(node) && !ENDS_A_SENTENCE.test(text) ? [...words, 'is help without a period'] : words
    return faults.map(fault => `${placeOf(source, node.getStart())} ${fault}: ${text.slice(0, 80)}`)
  })
}

type Text = ts.StringLiteralLike | ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail

const isText = (node: ts.Node): node is Text =>
  ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)

/** A text of a catalogue whose key ends in `Help`. */
const isHelp = (node: Text): boolean =>
  ts.isPropertyAssignment(node.parent) &&
  IS_HELP.test(node.parent.name.getText()) &&
  wordingsOf(node).length > 0

/** The wordings of the language that a text is declared in: below `en` or `zh`, or a constant whose name ends in it. */
function wordingsOf(node: ts.Node): readonly Wording[] {
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent) {
    if (!ts.isPropertyAssignment(at) && !ts.isVariableDeclaration(at)) continue
    const name = at.name.getText()
    const suffix = ts.isVariableDeclaration(at) ? name.slice(-2) : ''
    if (name === 'en' || suffix === 'En') return ENGLISH
    if (name === 'zh' || suffix === 'Zh') return CHINESE
  }
  return []
}
