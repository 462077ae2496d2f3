#pragma once

#include "Checks.h"
#include "Runner.h"

std::vector<Case> reconnectionCases();
std::vector<Case> backOffCases();
std::vector<Case> endingCases();
std::vector<Case> sessionCases();
std::vector<Case> soundCases();
std::vector<Case> controlsCases();
std::vector<Case> enrollmentCases();
std::vector<Case> eventCases();
std::vector<Case> sceneCases();
