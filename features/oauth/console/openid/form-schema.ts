import { z } from 'zod'
import {
  createOpenIdProvider,
  MAPPED_ROLES,
  type OpenIdProvider,
  OpenIdProviderSettings,
  PROVISIONING,
} from '../../contract/openid.ts'

/** The values of the form under the contract's field names. */
export const OpenIdFormValues = z.object({
  slug: z.string(),
  name: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
  is_enabled: z.boolean(),
  scopes: z.string(),
  provisioning: z.enum(PROVISIONING),
  domains: z.array(z.string()),
  subject_claim: z.string(),
  groups_claim: z.string(),
  required_groups: z.array(z.string()),
  rules: z.array(z.object({ value: z.string(), role: z.enum(['user', 'admin']), group: z.string() })),
  /** The id of the organisation as typed. */
  memberships: z.array(
    z.object({ value: z.string(), organization_id: z.string(), role: z.enum(MAPPED_ROLES) }),
  ),
  signs_out: z.boolean(),
})
export type OpenIdFormValues = z.infer<typeof OpenIdFormValues>

export const NEW_PROVIDER: OpenIdFormValues = {
  slug: '',
  name: '',
  issuer: '',
  client_id: '',
  client_secret: '',
  is_enabled: true,
  scopes: 'openid profile email',
  provisioning: 'everyone',
  domains: [],
  subject_claim: 'sub',
  groups_claim: 'groups',
  required_groups: [],
  rules: [],
  memberships: [],
  signs_out: false,
}

export const toFormValues = (provider: OpenIdProvider): OpenIdFormValues =>
  OpenIdFormValues.parse({
    ...provider,
    client_secret: '',
    memberships: provider.memberships.map(rule => ({ ...rule, organization_id: `${rule.organization_id}` })),
  })

/** The rules of the contract, each at its field. */
export const openIdFormSchema = OpenIdFormValues.superRefine((values, context) => {
  for (const issue of createOpenIdProvider.body.safeParse(withNumbers(values)).error?.issues ?? [])
    context.addIssue({
      ...('params' in issue && { params: issue.params }),
      code: 'custom',
      message: issue.message,
      path: issue.path,
    })
})

export const toSettings = (values: OpenIdFormValues): OpenIdProviderSettings =>
  OpenIdProviderSettings.parse(withNumbers(values))

const withNumbers = (values: OpenIdFormValues) => ({
  ...values,
  memberships: values.memberships.map(rule => ({ ...rule, organization_id: Number(rule.organization_id) })),
})
