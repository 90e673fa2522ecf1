import prices from './default-prices.json'
import { address, decimal, flag, link, namedLinks, text } from './define-option.ts'

export const contentOptions = {
  Notice: text('', 'other', 'the announcement, as Markdown or HTML'),
  SystemName: text('Tollgate', 'other', 'the name in titles and mails'),
  Logo: link('', 'other', 'address of the logo'),
  HomePageContent: text('', 'other', 'the home page: Markdown, HTML or an https address'),
  About: text('', 'other', 'the about page: Markdown, HTML or an https address'),
  Footer: text('', 'other', 'the footer as HTML'),
  UpdateFeedUrl: address(
    '',
    'other',
    'where the latest release is described, as GitHub does; empty: nothing is asked',
  ),
  TopUpLink: link('', 'operation', 'where codes can be bought'),
  ChatLink: link('', 'operation', 'the chat page of the token list'),
  ChatLink2: link('', 'operation', 'a second chat page'),
  Chats: namedLinks(prices.chats, 'operation', 'chat pages; {key} and {address} are replaced'),
  QuotaPerUnit: decimal(500_000, [1, 1_000_000_000], 'operation', 'quota units that are shown as one dollar'),
  DisplayInCurrencyEnabled: flag(true, 'operation', 'amounts are shown in dollars instead of units'),
  DisplayTokenStatEnabled: flag(
    true,
    'operation',
    'balance queries with a token tell of the token, not of its owner',
  ),
  DefaultCollapseSidebar: flag(false, 'operation', 'the sidebar starts collapsed'),
  DemoSiteEnabled: flag(false, 'operation', 'marks this installation as a demonstration'),
} as const
