import type { OptionKey } from '#contract/system-options.ts'
import { type FieldKind, kindOf } from './field-kind.ts'
import { OptionField } from './option-field.tsx'

const WIDE: readonly FieldKind[] = ['lines', 'json', 'names']

interface OptionFieldsProps {
  readonly keys: readonly OptionKey[]
}

/** The fields of some options: short ones side by side, switches and long ones below. */
export function OptionFields({ keys }: OptionFieldsProps) {
  const flags = keys.filter(key => kindOf(key) === 'flag')
  const wide = keys.filter(key => WIDE.includes(kindOf(key)))
  const short = keys.filter(key => !flags.includes(key) && !wide.includes(key))
  return (
    <>
      {short.length > 0 && (
        <div className="grid gap-x-6 gap-y-5 sm:grid-cols-2">
          {short.map(key => (
            <OptionField key={key} optionKey={key} />
          ))}
        </div>
      )}
      {flags.length > 0 && (
        <div className="grid gap-4">
          {flags.map(key => (
            <OptionField key={key} optionKey={key} />
          ))}
        </div>
      )}
      {wide.map(key => (
        <OptionField key={key} optionKey={key} />
      ))}
    </>
  )
}
