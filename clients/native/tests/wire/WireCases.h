#pragma once

#include <vector>

#include "Runner.h"

std::vector<Case> nonsenseCases();
std::vector<Case> endCases();
std::vector<Case> burstCases();
