import type { ReactNode } from 'react'

interface KeyValue {
  readonly label: string
  readonly value: ReactNode
}

/** Facts as label and value, in two columns. */
export function KeyValues({ items }: { readonly items: readonly KeyValue[] }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,max-content)_1fr] gap-x-4 gap-y-1.5 text-small">
      {items.map(({ label, value }) => (
        <div key={label} className="col-span-2 grid grid-cols-subgrid">
          <dt className="text-muted">{label}</dt>
          <dd className="min-w-0 break-words tabular">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
