#include "CLivePage.h"

#define HTML "text/html; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"

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

static const clp_file files[] = {
    {"/live", HTML, html, sizeof html},
    {"/live/live.css", "text/css; charset=utf-8", style, sizeof style},
    {"/live/icon.svg", "image/svg+xml", icon, sizeof icon},
    {"/live/main.js", SCRIPT, main_script, sizeof main_script},
    {"/live/service.js", SCRIPT, service, sizeof service},
    {"/live/list.js", SCRIPT, list, sizeof list},
    {"/live/session.js", SCRIPT, session, sizeof session},
    {"/live/controls.js", SCRIPT, controls, sizeof controls},
    {"/live/events.js", SCRIPT, events, sizeof events},
    {"/live/event-words.js", SCRIPT, event_words, sizeof event_words},
    {"/live/graphs.js", SCRIPT, graphs, sizeof graphs},
    {"/live/elements.js", SCRIPT, elements, sizeof elements},
};

const clp_file *clp_files(void) { return files; }

size_t clp_files_count(void) { return sizeof files / sizeof files[0]; }
