import type { OptionKey } from '#contract/options/system-options.ts'
import { confirm } from '../../../ui/overlays/confirm.ts'
import { useText } from '../../../ui/text/text.ts'
import { toast } from '../../../ui/overlays/toast.tsx'
import { OptionField } from '../options/option-field.tsx'
import { useOptionForm } from '../options/option-form.ts'
import { text } from '../text.ts'
import { hasOtherSignIn, missingFor } from './sign-in-rules.ts'
import { systemText } from './text.ts'

/** The ways in. None is switched on before it can work, and passwords are not switched off without a question. */
export function SignInFlags({ keys }: { readonly keys: readonly OptionKey[] }) {
  const t = useText(text)
  const s = useText(systemText)
  const form = useOptionForm()
  const isSure = () => {
    const question = { title: t('confirmOffTitle'), text: t('confirmOffText'), action: t('confirmOff') }
    return confirm({ ...question, isDanger: true })
  }
  const change = async (key: OptionKey, isOn: boolean) => {
    const need = isOn ? missingFor(form, key) : undefined
    if (need) return toast('error', s(need))
    const isWayIn = key === 'PasswordLoginEnabled' && !isOn
    if (isWayIn && !hasOtherSignIn(form)) return toast('error', t('noOtherSignIn'))
    if (!isWayIn || (await isSure())) form.set(key, String(isOn))
  }
  return (
    <div className="grid gap-4">
      {keys.map(key => (
        <OptionField key={key} optionKey={key} onFlag={isOn => void change(key, isOn)} />
      ))}
    </div>
  )
}
