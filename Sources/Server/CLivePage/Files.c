#include "CLivePage.h"

#define HTML "text/html; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"
#define STYLE "text/css; charset=utf-8"
#define ICON "image/svg+xml"

static const unsigned char html[] = {
#embed "page/live.html"
};
static const unsigned char style[] = {
#embed "page/live.css"
};
static const unsigned char icon[] = {
#embed "page/icon.svg"
};
static const unsigned char main_script[] = {
#embed "page/main.js"
};
static const unsigned char service[] = {
#embed "page/service.js"
};
static const unsigned char list[] = {
#embed "page/list.js"
};
static const unsigned char session[] = {
#embed "page/session.js"
};
static const unsigned char controls[] = {
#embed "page/controls.js"
};
static const unsigned char events[] = {
#embed "page/events.js"
};
static const unsigned char event_words[] = {
#embed "page/event-words.js"
};
static const unsigned char graphs[] = {
#embed "page/graphs.js"
};
static const unsigned char elements[] = {
#embed "page/elements.js"
};
static const unsigned char minute[] = {
#embed "page/minute.js"
};
static const unsigned char facts[] = {
#embed "page/facts.js"
};
static const unsigned char trouble[] = {
#embed "page/trouble.js"
};
static const unsigned char questions[] = {
#embed "page/questions.js"
};
static const unsigned char measurements[] = {
#embed "page/measurements.js"
};
static const unsigned char event_list[] = {
#embed "page/event-list.js"
};
static const unsigned char meter[] = {
#embed "page/meter.js"
};
static const unsigned char try_html[] = {
#embed "try/try.html"
};
static const unsigned char try_style[] = {
#embed "try/try.css"
};
static const unsigned char try_main[] = {
#embed "try/main.js"
};
static const unsigned char try_sound[] = {
#embed "try/sound.js"
};
static const unsigned char try_worklet[] = {
#embed "try/worklet.js"
};
static const unsigned char try_session[] = {
#embed "try/session.js"
};
static const unsigned char try_mute[] = {
#embed "try/mute.js"
};
static const unsigned char try_wire[] = {
#embed "try/wire.js"
};
static const unsigned char try_clip[] = {
#embed "try/clip.js"
};
static const unsigned char try_words[] = {
#embed "try/words.js"
};
static const unsigned char try_view[] = {
#embed "try/view.js"
};
static const unsigned char try_compare[] = {
#embed "try/compare.js"
};
static const unsigned char try_enroll[] = {
#embed "try/enroll.js"
};

static const clp_file files[] = {
    {"/live", HTML, html, sizeof html},
    {"/live/live.css", STYLE, style, sizeof style},
    {"/live/icon.svg", ICON, icon, sizeof icon},
    {"/live/main.js", SCRIPT, main_script, sizeof main_script},
    {"/live/service.js", SCRIPT, service, sizeof service},
    {"/live/list.js", SCRIPT, list, sizeof list},
    {"/live/session.js", SCRIPT, session, sizeof session},
    {"/live/controls.js", SCRIPT, controls, sizeof controls},
    {"/live/events.js", SCRIPT, events, sizeof events},
    {"/live/event-words.js", SCRIPT, event_words, sizeof event_words},
    {"/live/graphs.js", SCRIPT, graphs, sizeof graphs},
    {"/live/elements.js", SCRIPT, elements, sizeof elements},
    {"/live/minute.js", SCRIPT, minute, sizeof minute},
    {"/live/facts.js", SCRIPT, facts, sizeof facts},
    {"/live/trouble.js", SCRIPT, trouble, sizeof trouble},
    {"/live/questions.js", SCRIPT, questions, sizeof questions},
    {"/live/measurements.js", SCRIPT, measurements, sizeof measurements},
    {"/live/event-list.js", SCRIPT, event_list, sizeof event_list},
    {"/live/meter.js", SCRIPT, meter, sizeof meter},
    {"/try", HTML, try_html, sizeof try_html},
    {"/try/try.css", STYLE, try_style, sizeof try_style},
    {"/try/main.js", SCRIPT, try_main, sizeof try_main},
    {"/try/view.js", SCRIPT, try_view, sizeof try_view},
    {"/try/sound.js", SCRIPT, try_sound, sizeof try_sound},
    {"/try/worklet.js", SCRIPT, try_worklet, sizeof try_worklet},
    {"/try/session.js", SCRIPT, try_session, sizeof try_session},
    {"/try/mute.js", SCRIPT, try_mute, sizeof try_mute},
    {"/try/wire.js", SCRIPT, try_wire, sizeof try_wire},
    {"/try/compare.js", SCRIPT, try_compare, sizeof try_compare},
    {"/try/enroll.js", SCRIPT, try_enroll, sizeof try_enroll},
    {"/try/clip.js", SCRIPT, try_clip, sizeof try_clip},
    {"/try/words.js", SCRIPT, try_words, sizeof try_words},
    // The live page may be switched off.
    {"/try/live.css", STYLE, style, sizeof style},
    {"/try/icon.svg", ICON, icon, sizeof icon},
    {"/try/service.js", SCRIPT, service, sizeof service},
    {"/try/events.js", SCRIPT, events, sizeof events},
    {"/try/event-words.js", SCRIPT, event_words, sizeof event_words},
    {"/try/elements.js", SCRIPT, elements, sizeof elements},
    {"/try/meter.js", SCRIPT, meter, sizeof meter},
};

const clp_file *clp_files(void) { return files; }

size_t clp_files_count(void) { return sizeof files / sizeof files[0]; }
