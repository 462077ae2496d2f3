/// The style of the page: light and dark, wide and narrow, on screen and on paper.
enum PageStyle {
  static let text = """
    :root {
      color-scheme: light dark;
      --page: #ffffff; --panel: #f6f5f3; --text: #1c1c22; --quiet: #63636e; --line: #dddbd6;
      --microphone: #2b68d8; --reference: #b36b00; --output: #0b8069; --second: #a23bb5;
      --warning: #c83232; --zoom: 1; --left: 0;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --page: #121217; --panel: #1b1b22; --text: #ececf1; --quiet: #a0a0ad; --line: #34343f;
        --microphone: #74a9ff; --reference: #e8ad45; --output: #3fc9a8; --second: #d98ae6;
        --warning: #ff7f76;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0; background: var(--page); color: var(--text); overflow-wrap: anywhere;
      font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
    }
    main { max-width: 1180px; margin: 0 auto; padding: 28px 24px 48px; }
    h1 { margin: 0; font-size: 26px; line-height: 1.2; letter-spacing: -0.01em; }
    h2 { margin: 0; font-size: 15px; }
    h2 small, .subtitle, .hint, footer, .note { color: var(--quiet); font-weight: 400; }
    h2 small { font-size: 13px; margin: 0 10px 0 6px; }
    .subtitle { margin: 4px 0 0; }
    .hint, .note { margin: 0; font-size: 13px; }
    .alert { margin: 10px 0 0; color: var(--warning); }
    .highlights {
      display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px;
      margin: 22px 0 0;
    }
    .highlights div { background: var(--panel); border-radius: 10px; padding: 12px 16px; }
    .highlights dt { color: var(--quiet); font-size: 13px; }
    .highlights dd { margin: 2px 0 0; font-size: 22px; font-variant-numeric: tabular-nums; }
    .scale {
      display: flex; flex-wrap: wrap; gap: 8px 28px; align-items: center; margin: 22px 0 0;
    }
    .scale svg { width: 240px; height: 28px; flex: none; }
    .scale span { font-size: 13px; color: var(--quiet); }
    #clock { font-variant-numeric: tabular-nums; color: var(--text); font-weight: 600; }
    .plot { margin: 20px 0 0; break-inside: avoid; }
    .bar { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center; min-height: 32px; }
    .bar h2 { flex: 1 1 200px; min-width: 0; }
    audio { height: 32px; width: 340px; max-width: 100%; }
    .rows {
      display: grid; grid-template-columns: 76px minmax(0, 1fr); grid-template-rows: auto 18px;
      margin-top: 4px;
    }
    .rows svg { display: block; width: 100%; height: 100%; overflow: visible; }
    .rows .cell {
      background: var(--panel); cursor: crosshair; overflow: hidden; touch-action: pan-y;
      border-radius: 3px;
    }
    .view { overflow: hidden; }
    .rows .view > svg {
      width: calc(100% * var(--zoom)); transform: translateX(calc(-100% * var(--left)));
    }
    #zoom button { padding: 2px 10px; }
    .rows .image { height: 150px; }
    .rows .curves { height: 110px; }
    .rows .lanes { height: 96px; }
    .times { grid-column: 2; }
    text { fill: var(--quiet); font-size: 11.5px; font-variant-numeric: tabular-nums; }
    .grid { stroke: var(--line); }
    .head { stroke: #ffffff; stroke-width: 2; mix-blend-mode: difference; pointer-events: none; }
    .curve {
      fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round;
      stroke: var(--tint);
    }
    .span { fill: var(--tint); }
    .mark { stroke: var(--text); stroke-opacity: 0.5; stroke-dasharray: 2 3; }
    .microphone { --tint: var(--microphone); }
    .reference { --tint: var(--reference); }
    .output { --tint: var(--output); }
    .second { --tint: var(--second); }
    .warning { --tint: var(--warning); }
    .key {
      display: inline-block; font-size: 13px; font-weight: 400; color: var(--quiet);
      margin-right: 12px;
    }
    .key::before {
      content: ""; display: inline-block; width: 10px; height: 10px; margin-right: 5px;
      border-radius: 50%; background: var(--tint);
    }
    .tables {
      display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr));
      gap: 8px 40px; margin-top: 28px; align-items: start;
    }
    table { width: 100%; border-collapse: collapse; margin-top: 8px; font-size: 14px; }
    th, td {
      padding: 5px 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top;
      font-weight: 400;
    }
    th { color: var(--quiet); padding-right: 16px; width: 42%; }
    .columns th { width: auto; color: var(--text); font-weight: 600; }
    .facts td + td { padding-left: 16px; }
    .events th { width: 84px; }
    button {
      font: inherit; color: var(--microphone); background: none; border: 0; padding: 0;
      cursor: pointer; font-variant-numeric: tabular-nums;
    }
    button:focus-visible, .cell:focus-visible { outline: 2px solid var(--microphone); }
    footer { margin-top: 32px; font-size: 13px; }
    @media (max-width: 620px) {
      main { padding: 18px 14px 36px; }
      .rows { grid-template-columns: 60px minmax(0, 1fr); }
      .rows text { font-size: 10.5px; }
      .highlights { grid-template-columns: 1fr 1fr; }
      .highlights dd { font-size: 18px; }
      .rows .image { height: 110px; }
      .odd { display: none; }
      .bar h2 { flex-basis: 100%; }
      audio { width: 100%; }
    }
    @media print {
      audio, .hint, .head, .note, #zoom { display: none; }
      .rows .view > svg { width: 100%; transform: none; }
      main { max-width: none; padding: 0; }
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
    }
    """
}
