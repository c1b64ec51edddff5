import {
  ActionIcon,
  Button,
  Checkbox,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  defaultVariantColorsResolver,
  Input,
  type MantineColorsTuple,
  Menu,
  Modal,
  Popover,
  Radio,
  SegmentedControl,
  Switch,
  Tooltip,
} from '@mantine/core'

/** Ink is the primary colour, so that the one accent is free to mean "live" or "needs you". */
const INK: MantineColorsTuple = [
  '#f6f4f1',
  '#f3f1ee',
  '#e7e6e3',
  '#d6d4cf',
  '#b9b6af',
  '#6f7278',
  '#55585e',
  '#2c2d30',
  '#17181a',
  '#0d0e0f',
]

export const THEME = createTheme({
  colors: { ink: INK },
  primaryColor: 'ink',
  primaryShade: { light: 8, dark: 1 },
  // The words on ink are paper, in both themes.
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input)
    const isInk = input.color === undefined || input.color === 'ink'
    return input.variant === 'filled' && isInk ? { ...colors, color: 'var(--card)' } : colors
  },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'var(--mono)',
  defaultRadius: 8,
  fontSizes: { xs: '11.5px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: Button.extend({ defaultProps: { size: 'sm', variant: 'default' } }),
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300, withArrow: false } }),
    Modal: Modal.extend({
      defaultProps: { centered: true, radius: 12, overlayProps: { backgroundOpacity: 0.3 } },
    }),
    Drawer: Drawer.extend({ defaultProps: { position: 'right', overlayProps: { backgroundOpacity: 0.2 } } }),
    Menu: Menu.extend({
      defaultProps: {
        shadow: 'md',
        radius: 10,
        // A menu may hold items only, and stands in a landmark, which `shell/frame.tsx` has a place for.
        withInitialFocusPlaceholder: false,
        portalProps: { target: '#menus' },
      },
    }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md', radius: 10 } }),
    SegmentedControl: SegmentedControl.extend({
      defaultProps: { radius: 9, size: 'xs', withItemsBorders: false, transitionDuration: 0 },
      styles: {
        root: { background: 'var(--sunk)' },
        indicator: { background: 'var(--card)' },
        label: { fontSize: 'var(--f1)', fontWeight: 520, padding: '4px 10px' },
      },
    }),
    Input: Input.extend({ styles: { input: { backgroundColor: 'var(--card)' } } }),
    InputWrapper: Input.Wrapper.extend({ styles: { label: { marginBottom: 6, fontWeight: 560 } } }),
    // The mark in a filled box is paper on ink, in both themes.
    Checkbox: Checkbox.extend({ defaultProps: { iconColor: 'var(--card)' } }),
    Radio: Radio.extend({ defaultProps: { iconColor: 'var(--card)' } }),
    Switch: Switch.extend({ styles: { thumb: { backgroundColor: 'var(--card)' } } }),
  },
})

/** The library's own colours come from our tokens, so that both themes are told in one place, `look.css`. */
export const VARIABLES: CSSVariablesResolver = () => ({
  variables: {
    '--mantine-color-body': 'var(--page)',
    '--mantine-color-text': 'var(--ink)',
    '--mantine-color-dimmed': 'var(--ink-2)',
    '--mantine-color-default': 'var(--card)',
    '--mantine-color-default-hover': 'var(--hover)',
    '--mantine-color-default-color': 'var(--ink)',
    '--mantine-color-default-border': 'var(--line-2)',
    '--mantine-color-placeholder': 'var(--ink-3)',
    '--mantine-color-error': 'var(--bad)',
    '--mantine-color-anchor': 'var(--ink)',
    '--mantine-primary-color-filled': 'var(--ink)',
    '--mantine-primary-color-filled-hover': 'var(--ink-2)',
    '--mantine-primary-color-contrast': 'var(--card)',
    '--mantine-color-ink-filled': 'var(--ink)',
    '--mantine-color-ink-filled-hover': 'var(--ink-2)',
  },
  light: {},
  dark: {},
})
