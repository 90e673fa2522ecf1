import prices from './default-prices.json'
import { address, decimal, flag, link, namedLinks, text } from './define-option.ts'

export const contentOptions = {
  Notice: text('', 'other', 'announcement, as Markdown or HTML'),
  SystemName: text('Tollgate', 'other', 'name in titles and emails'),
  Logo: link('', 'other', 'address of the logo'),
  HomePageContent: text('', 'other', 'home page: Markdown, HTML or an https address to embed'),
  About: text('', 'other', 'about page: Markdown, HTML or an https address to embed'),
  Footer: text('', 'other', 'footer as HTML'),
  UpdateFeedUrl: address(
    '',
    'other',
    "address of the latest release in GitHub's format; empty: never fetched",
  ),
  TopUpLink: link('', 'operation', 'where redemption codes are sold'),
  ChatLink: link('', 'operation', 'chat page linked from the token list'),
  ChatLink2: link('', 'operation', 'second chat page linked from the token list'),
  Chats: namedLinks(prices.chats, 'operation', 'chat pages; {key} and {address} are placeholders'),
  QuotaPerUnit: decimal(500_000, [1, 1_000_000_000], 'operation', 'quota units per dollar'),
  DisplayInCurrencyEnabled: flag(true, 'operation', 'shows amounts in dollars instead of quota units'),
  DisplayTokenStatEnabled: flag(
    true,
    'operation',
    "reports the balance of the token instead of its owner's to balance queries",
  ),
  DefaultCollapseSidebar: flag(false, 'operation', 'collapses the sidebar initially'),
  DemoSiteEnabled: flag(false, 'operation', 'marks the installation as a demonstration site'),
} as const
