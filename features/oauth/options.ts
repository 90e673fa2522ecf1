import { z } from 'zod'
import { localizedError } from '#contract/fields.ts'
import { inSection, json, type OptionSection } from '#contract/options/define-option.ts'

const TEXT_LENGTH_MAX = 500
const RULES_MAX = 100
const text = z.string().min(1).max(TEXT_LENGTH_MAX)

/** Which identity tokens of workloads are a key, and of which token. */
export const WorkloadRule = z.strictObject({
  issuer: z.url({ protocol: /^https?$/ }).max(TEXT_LENGTH_MAX),
  audience: text,
  /** Names, with `/` before the members of an object, and values, in which one `*` stands for any text. */
  claims: z
    .record(text, text)
    .refine(
      claims => Object.keys(claims).length > 0,
      localizedError('至少填写一个声明', 'at least one claim is needed: an issuer signs for everybody'),
    ),
  /** Id of the token whose limits apply. */
  token: z.int().positive(),
})
export type WorkloadRule = z.infer<typeof WorkloadRule>

const SECTION: OptionSection = {
  id: 'workloadIdentity',
  tab: 'system',
  order: 75,
  needs: 'recent-session',
  title: { zh: '工作负载身份', en: 'Workload identity' },
  help: {
    zh: '让 Kubernetes、GitHub Actions 或云平台中的程序用平台签发的身份令牌（JWT）调用模型，无需保存密钥。',
    en: 'Programs in Kubernetes, GitHub Actions or a cloud call models with the identity token (JWT) that their platform signs, and keep no key.',
  },
}

export const options = inSection(SECTION, {
  WorkloadIdentityRules: json(z.array(WorkloadRule).max(RULES_MAX), '[]', {
    label: { zh: '规则', en: 'Rules' },
    help: {
      zh: 'JSON 数组，写法见文档“登录”。从上到下匹配，第一条符合的规则生效。',
      en: 'A JSON list of {"issuer", "audience", "claims": {"sub": "repo:acme/shop:*"}, "token": token ID}. The first rule that matches counts.',
    },
  }),
})
