#pragma once

#include <string>
#include <vector>

#include "Runner.h"

// `program` is the path of this program.
std::vector<Case> interfaceCases(const std::string& program);
std::vector<Case> clumsyCases(const std::string& program);
std::vector<Case> serverCases();
std::vector<Case> stateCases();
std::vector<Case> callCases();
std::vector<Case> sceneCases();
std::vector<Case> enrollmentCases();
