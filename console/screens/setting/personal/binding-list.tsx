import type { Binding } from '#contract/oauth.ts'
import type { User } from '#contract/users.ts'
import { PrivateText } from '../../../app/private-text.tsx'
import { Button } from '../../../ui/button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { useText } from '../../../ui/text.ts'
import { toast } from '../../../ui/toast.ts'
import { BINDINGS, type BindingField } from './bindings.ts'
import { useSelfWrites } from './queries.ts'
import { personalText } from './text.ts'

/** The ways to sign in that are tied to this account. */
export function BindingList({ self }: { readonly self: User }) {
  return (
    <ul className="divide-y divide-line rounded-card border border-line">
      {BINDINGS.map(({ binding, field }) => (
        <BindingRow key={binding} binding={binding} value={self[field]} />
      ))}
    </ul>
  )
}

interface BindingRowProps {
  readonly binding: Binding
  readonly value: User[BindingField]
}

function BindingRow({ binding, value }: BindingRowProps) {
  const t = useText(personalText)
  const { takeOff } = useSelfWrites()
  const name = t(binding)
  const ask = async () => {
    const question = { title: t('unbindTitle', { name }), text: t('unbindText'), action: t('unbind') }
    if (!(await confirm({ ...question, isDanger: true }))) return
    takeOff.mutate(binding, { onSuccess: () => toast('success', t('unbound', { name })) })
  }
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2.5">
      <span className="w-24 font-medium">{name}</span>
      <span className="min-w-0 flex-1 truncate text-small text-muted">
        {value === '' ? t('notBound') : <PrivateText>{value}</PrivateText>}
      </span>
      {value !== '' && (
        <Button
          size="small"
          look="danger-text"
          aria-label={t('unbindNamed', { name })}
          isBusy={takeOff.isPending}
          onClick={() => void ask()}
        >
          {t('unbind')}
        </Button>
      )}
    </li>
  )
}
