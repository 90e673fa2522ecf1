import type { ChannelType } from '#contract/channels/channels.ts'
import type { ChannelForm, Provider } from '../../provider-kit/provider.ts'

/** What the channel form needs to know about a vendor. */
export const toChannelType = (provider: Provider): ChannelType => ({
  type: provider.type,
  name: provider.name,
  name_zh: provider.nameZh ?? provider.name,
  base_url: provider.baseUrl,
  key_hint: provider.keyHint ?? '',
  models: [...provider.models],
  operations: operationsOf(provider),
  can_list_models: provider.listModels !== undefined,
  can_query_balance: provider.balance !== undefined,
  form: toForm(provider.form ?? {}),
})

const operationsOf = (provider: Provider): string[] =>
  (['chat', 'embeddings'] as const).filter(operation => provider[operation] !== undefined)

const toForm = (form: ChannelForm): ChannelType['form'] => ({
  ...(form.notice && { notice: form.notice }),
  base_url: form.baseUrl ?? 'optional',
  ...(form.baseUrlLabel && { base_url_label: form.baseUrlLabel }),
  key: form.key ?? 'text',
  ...(form.other && { other: toOther(form.other) }),
  has_organization: form.hasOrganization ?? false,
})

const toOther = (other: NonNullable<ChannelForm['other']>) => ({
  label: other.label,
  is_required: other.isRequired ?? false,
  ...(other.placeholder !== undefined && { placeholder: other.placeholder }),
  ...(other.defaultValue !== undefined && { default_value: other.defaultValue }),
})
