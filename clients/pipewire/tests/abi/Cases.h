#pragma once

#include <vector>

#include "Runner.h"

std::vector<Case> casesWithoutAServer();
std::vector<Case> casesWithAServer();
