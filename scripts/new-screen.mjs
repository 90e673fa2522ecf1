import { main } from './lib/main.mjs'
import { pascalCase, readName, titleCase, writeFolder } from './lib/new-folder.mjs'

const USAGE = `
Usage: npm run new:screen -- NAME

Creates the folder of a new screen. No other file changes.
`

await main(USAGE, () => {
  const name = readName('new:screen')
  writeFolder(`console/screens/${name}`, {
    'index.tsx': screenSource(name),
    'text.ts': textSource(name),
    'page.tsx': pageSource(name),
  })
  process.stdout.write(
    `Created the screen at /${name}, with an entry in the sidebar. Its texts are in text.ts.\n`,
  )
})

function screenSource(name) {
  const title = titleCase(name)
  return `import { Shapes } from 'lucide-react'
import { defineScreen } from '../../app/router/define-screen.ts'

export const screen = defineScreen({
  path: '/${name}',
  role: 'user',
  title: { zh: '${title}', en: '${title}' },
  nav: { section: 'use', order: 900, icon: Shapes },
  load: async () => (await import('./page.tsx')).${pascalCase(name)}Page,
})
`
}

function textSource(name) {
  const title = titleCase(name)
  return `import { type English, useText } from '../../ui/text/text.ts'

const zh = {
  title: '${title}',
  empty: '暂无内容',
  emptyHelp: '页面已创建，请添加内容。',
}

const en: English<typeof zh> = {
  title: '${title}',
  empty: 'Nothing here yet',
  emptyHelp: 'The page is ready for its content.',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)
`
}

function pageSource(name) {
  return `import { Shapes } from 'lucide-react'
import { EmptyState } from '../../ui/feedback/feedback.tsx'
import { PageHeader } from '../../ui/text/page-header.tsx'
import { useScreenText } from './text.ts'

export function ${pascalCase(name)}Page() {
  const t = useScreenText()
  return (
    <>
      <PageHeader title={t('title')} />
      <EmptyState icon={Shapes} title={t('empty')} text={t('emptyHelp')} />
    </>
  )
}
`
}
