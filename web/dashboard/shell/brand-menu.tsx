import { Menu, useMantineColorScheme } from '@mantine/core'
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs'
import { useGo } from '../kit/address.tsx'
import { chosenBrand, switchBrand } from '../kit/brand.ts'
import { callAuth } from '../kit/call.ts'
import { Icon } from '../kit/icon.tsx'
import { useMe } from '../kit/member.ts'
import { LANGUAGES, useLanguage, useTexts } from '../kit/texts.tsx'
import styles from './brand-menu.module.css'
import { SHELL_TEXTS } from './texts.ts'

const SCHEMES = ['auto', 'light', 'dark'] as const

/** The brand of this tab, the switch to another one, and everything about the reader's own session. */
export function BrandMenu() {
  const texts = useTexts(SHELL_TEXTS)
  const { data } = useMe()
  const go = useGo()
  const brands = data?.member.brands ?? []
  const here = brands.find(({ brand_id: id }) => id === chosenBrand())
  return (
    <Menu position="bottom-start" width={240}>
      <Menu.Target>
        <button type="button" className={styles.brand} title={here?.name}>
          <span className={styles.mark} />
          <span className={styles.name}>{here?.name ?? ''}</span>
          <Icon of={IconChevronDown} size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {brands.length > 1 && <Menu.Label>{texts.switchBrand}</Menu.Label>}
        {brands.length > 1 &&
          brands.map(({ brand_id: id, name }) => (
            <Menu.Item key={id} onClick={() => switchBrand(id)} fw={id === chosenBrand() ? 600 : 400}>
              {name}
            </Menu.Item>
          ))}
        <Menu.Label>{data?.member.email}</Menu.Label>
        <Menu.Item onClick={() => go('/settings/account')}>{texts.account}</Menu.Item>
        <ThemeItems />
        <LanguageItems />
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>{texts.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

async function signOut(): Promise<void> {
  await callAuth('/sign-out', null)
  location.assign('/sign-in')
}

function ThemeItems() {
  const texts = useTexts(SHELL_TEXTS)
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <Menu.Label>{texts.theme}</Menu.Label>
      {SCHEMES.map((scheme) => (
        <Menu.Item
          key={scheme}
          closeMenuOnClick={false}
          fw={scheme === colorScheme ? 600 : 400}
          onClick={() => setColorScheme(scheme)}
        >
          {texts.themes[scheme]}
        </Menu.Item>
      ))}
    </>
  )
}

function LanguageItems() {
  const texts = useTexts(SHELL_TEXTS)
  const { language, choose } = useLanguage()
  return (
    <>
      <Menu.Label>{texts.language}</Menu.Label>
      {(['en', 'de'] as const).map((name) => (
        <Menu.Item key={name} fw={name === language ? 600 : 400} onClick={() => choose(name)}>
          {LANGUAGES[name]}
        </Menu.Item>
      ))}
    </>
  )
}
