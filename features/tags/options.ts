import { z } from 'zod'
import { localizedError } from '#contract/fields.ts'
import { inSection, lines, type OptionSection } from '#contract/options/define-option.ts'

/** A request has at most as many tags. */
export const TAG_KEYS_MAX = 8
const KEY = /^[a-z][a-z0-9_.-]{0,31}$/

const SECTION: OptionSection = {
  id: 'request-tags',
  tab: 'operation',
  order: 135,
  title: { zh: '请求标签', en: 'Request tags' },
  help: {
    zh: '客户端用请求头 x-tollgate-tags 或请求体的 metadata 说明请求的用途，可在日志、统计和导出中使用。',
    en: 'Clients say what a request is for, in the header x-tollgate-tags or the metadata of its body, for log, analytics and exports.',
  },
}

const keys = lines('', {
  label: { zh: '标签名', en: 'Keys' },
  help: {
    zh: `一行一个，最多 ${TAG_KEYS_MAX} 个。留空则不记录标签。`,
    en: `One on each line, at most ${TAG_KEYS_MAX}. Without any, tags are not read.`,
  },
})

export const options = inSection(SECTION, {
  RequestTagKeys: {
    ...keys,
    schema: keys.schema.pipe(
      z
        .array(
          z
            .string()
            .regex(
              KEY,
              localizedError(
                '应为小写字母、数字、点、下划线或连字符，以字母开头',
                'lower-case letters, digits, dots, _ and - are allowed, a letter first',
              ),
            ),
        )
        .max(
          TAG_KEYS_MAX,
          localizedError(`最多 ${TAG_KEYS_MAX} 个标签名`, `there are at most ${TAG_KEYS_MAX} keys`),
        ),
    ),
  },
})
