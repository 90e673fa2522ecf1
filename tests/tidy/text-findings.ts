import type { Finding, Source } from './source.ts'

const CHINESE = /[\u4e00-\u9fff]/

/** Manifests state titles in both languages, so that a page need not load what it names. */
const MAY_HOLD_TEXTS = /(\.test|\/text)\.tsx$|(^|\/)console\/(.+\/)?(index|slots)\.tsx$/

/** Texts in components instead of in the texts of their folder. */
export function textFindings({ path, tree }: Source): readonly Finding[] {
  if (!path.endsWith('.tsx') || MAY_HOLD_TEXTS.test(path)) return []
  return tree.text
    .split('\n')
    .flatMap((line, index) =>
      CHINESE.test(line) ? [`${path}:${index + 1} holds a text; put it into text.ts: ${line.trim()}`] : [],
    )
}
