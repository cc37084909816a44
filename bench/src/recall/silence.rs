//! How sure recall is against how often it is right, and how often it speaks where nothing helps: each question is also
//! asked in another conversation's home, which cannot answer it.

use super::ask::{Asking, recalls, request};
use super::homes::Homes;
use super::questions::Questions;
use anyhow::{Context as _, Result};
use memoir_recall::Weights;

/// Confidence in steps of this.
const STEP: f32 = 0.1;

pub fn run(questions: &Questions, homes: &Homes, weights: &Weights, asking: Asking) -> Result<()> {
    let recalls = recalls(homes, weights);
    let names: Vec<&str> = homes.iter().map(|(name, _)| name.as_str()).collect();
    // By confidence: blocks, and those that are right; questions with a block so sure at home and abroad.
    let mut blocks = [[0_u32; 2]; 10];
    let mut best: [Vec<f32>; 2] = [Vec::new(), Vec::new()];
    for question in &questions.list {
        let at = names.iter().position(|name| *name == question.group).unwrap_or(0);
        let abroad = names.get((at + 1) % names.len()).copied().unwrap_or_default();
        for (side, name) in [(0, names.get(at).copied().unwrap_or_default()), (1, abroad)] {
            let home = homes.of(name)?;
            let recall = recalls.get(name).context("no home")?;
            let answer = recall.recall(&home.journal, &home.index, &request(question, asking), &mut |_, _| true)?;
            let sure = answer.blocks.iter().map(|block| block.confidence).fold(0.0, f32::max);
            if let Some(list) = best.get_mut(side) {
                list.push(sure);
            }
            for block in answer.blocks.iter().filter(|_| side == 0) {
                let is_right = block.turn.as_ref().is_some_and(|turn| question.turns.contains(turn))
                    || (question.turns.is_empty()
                        && home.names_of(&block.session).iter().any(|name| question.sessions.contains(name)));
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share in ten steps")]
                let step = ((block.confidence / STEP) as usize).min(9);
                if let Some(slot) = blocks.get_mut(step) {
                    slot[0] += 1;
                    slot[1] += u32::from(is_right);
                }
            }
        }
    }
    println!("confidence   blocks   right");
    for (step, [all, right]) in blocks.iter().enumerate() {
        let share = f64::from(*right) / f64::from((*all).max(1));
        println!("{:.1} to {:.1}  {all:8}   {:5.1} %", step as f32 * STEP, (step + 1) as f32 * STEP, share * 100.0);
    }
    println!("threshold   answered at home   answered abroad");
    for threshold in [0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6] {
        let share = |list: &Vec<f32>| {
            let said = list.iter().filter(|sure| **sure > 0.0 && **sure >= threshold).count();
            100.0 * said as f64 / list.len().max(1) as f64
        };
        let [home, abroad] = &best;
        println!("{threshold:9.2}   {:14.1} %   {:13.1} %", share(home), share(abroad));
    }
    Ok(())
}
