#pragma once

#include <string>
#include <vector>

#include "Runner.h"

std::vector<Case> casesWithoutAServer();
std::vector<Case> casesWithAServer(const std::string& sampleFolder);
